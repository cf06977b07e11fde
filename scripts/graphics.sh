#!/bin/sh
# graphics.sh PYTHON: see that an OpenGL context can be made without a screen; install Mesa if not.
set -eu
cd "$(dirname "$0")/.."
python=$1

works() {
    "$python" -c 'import mujoco; context = mujoco.GLContext(64, 64); context.make_current(); context.free()' \
        >/dev/null 2>&1
}

[ "$(uname)" = Linux ] || exit 0
works && exit 0
scripts/packages.sh 'OpenGL without a screen (Mesa, EGL)' 'libegl1 libgl1-mesa-dri libgles2' \
    'mesa-libEGL mesa-libGLES mesa-dri-drivers' 'mesa libglvnd' '' || true
works && exit 0
echo "No OpenGL context can be made with MUJOCO_GL=${MUJOCO_GL:-}, so depth and pictures from outside" >&2
echo "will not work. The avatar's eyes do: the processor draws them." >&2
exit 1

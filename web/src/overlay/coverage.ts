import { AdditiveBlending, type Camera, Color, Mesh, MeshBasicMaterial, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, type WebGLRenderer, WebGLRenderTarget } from "three";
import type { Human } from "./human";
import { flat, type Robot } from "./robot";

/** Pixels of each class as a share of the picture (ONIA, Fig. 7), and O = covered / (covered + uncovered) (eq. 20). */
export interface Shares {
  covered: number;
  uncovered: number;
  human: number;
  /** Undefined while no pixel of a robot arm is in sight. */
  ratio: number | undefined;
}

/** The picture that is counted: small, because a share needs no more. */
const WIDTH = 256;
export const COLOURS = { covered: 0x3fc46b, uncovered: 0xe5484d, human: 0x4f86f7 };

const ARM = flat(0xff0000);
const OTHER = flat(0x000000);
const HUMAN = new MeshBasicMaterial({ color: 0x00ff00, blending: AdditiveBlending, transparent: true, toneMapped: false });

/**
 * What of the robot's arms the human hides from this eye.
 *
 * A mask has visible robot arms in red and the human in green, which is drawn over the robot whatever stands nearer,
 * as a see-through headset does. So red and green is covered, red alone uncovered, green alone the rest of the human.
 */
export class Coverage {
  private readonly small = new WebGLRenderTarget(WIDTH, WIDTH);
  private readonly large = new WebGLRenderTarget(1, 1);
  private readonly pixels = { bytes: new Uint8Array(0), busy: false };
  private readonly screen = new Scene();
  private readonly plane = new OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor(private readonly renderer: WebGLRenderer) {
    this.screen.add(new Mesh(new PlaneGeometry(2, 2), classesMaterial(this.large)));
  }

  /** Undefined while the picture before is still being read back. */
  async measure(camera: Camera, aspect: number, robot: Robot, human: Human): Promise<Shares | undefined> {
    const { pixels, small } = this;
    if (pixels.busy) return undefined;
    const height = Math.max(1, Math.round(WIDTH / aspect));
    if (small.height !== height) small.setSize(WIDTH, height);
    if (pixels.bytes.length !== WIDTH * height * 4) pixels.bytes = new Uint8Array(WIDTH * height * 4);
    this.mask(small, camera, robot, human);
    pixels.busy = true;
    try {
      await this.renderer.readRenderTargetPixelsAsync(small, 0, 0, WIDTH, height, pixels.bytes);
    } finally {
      pixels.busy = false;
    }
    return count(pixels.bytes);
  }

  /** Paints the classes over what is drawn. */
  paint(camera: Camera, width: number, height: number, robot: Robot, human: Human): void {
    if (this.large.width !== width || this.large.height !== height) this.large.setSize(width, height);
    this.mask(this.large, camera, robot, human);
    this.renderer.render(this.screen, this.plane);
  }

  private mask(target: WebGLRenderTarget, camera: Camera, robot: Robot, human: Human): void {
    const { renderer } = this;
    const before = renderer.getRenderTarget();
    const clear = { colour: renderer.getClearColor(new Color()), alpha: renderer.getClearAlpha() };
    renderer.setRenderTarget(target);
    renderer.setClearColor(0x000000, 1);
    renderer.clear();
    for (const [part, material] of [["rest", OTHER], ["arms", ARM]] as const) {
      robot.show(part);
      robot.scene.overrideMaterial = material;
      renderer.render(robot.scene, camera);
    }
    robot.show("all");
    robot.scene.overrideMaterial = null;
    renderer.clearDepth();
    human.scene.overrideMaterial = HUMAN;
    renderer.render(human.scene, camera);
    human.scene.overrideMaterial = null;
    renderer.setRenderTarget(before);
    renderer.setClearColor(clear.colour, clear.alpha);
  }
}

/** Counts the classes of a mask. */
export function count(rgba: Uint8Array): Shares {
  let covered = 0;
  let uncovered = 0;
  let human = 0;
  for (let i = 0; i < rgba.length; i += 4) {
    const robot = rgba[i]! > 127;
    const person = rgba[i + 1]! > 127;
    if (robot && person) covered += 1;
    else if (robot) uncovered += 1;
    else if (person) human += 1;
  }
  const all = Math.max(1, rgba.length / 4);
  const arms = covered + uncovered;
  return { covered: covered / all, uncovered: uncovered / all, human: human / all, ratio: arms > 0 ? covered / arms : undefined };
}

function classesMaterial(mask: WebGLRenderTarget): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      mask: { value: mask.texture },
      covered: { value: new Color(COLOURS.covered) },
      uncovered: { value: new Color(COLOURS.uncovered) },
      human: { value: new Color(COLOURS.human) },
    },
    vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
    fragmentShader: `
      uniform sampler2D mask; uniform vec3 covered, uncovered, human; varying vec2 at;
      void main() {
        vec4 seen = texture2D(mask, at);
        bool robot = seen.r > 0.5, person = seen.g > 0.5;
        if (!robot && !person) discard;
        gl_FragColor = vec4(robot && person ? covered : robot ? uncovered : human, 1.0);
        #include <colorspace_fragment>
      }`,
    depthTest: false,
    depthWrite: false,
  });
}

"""Speed against peers: `python -m bench [NAME...] [--json]`. See README.md."""

/** The style of pictures. Colours are repeated because some SVG converters do not support variables. */

interface Palette {
  readonly page: string
  readonly box: string
  readonly text: string
  readonly dim: string
  readonly line: string
  readonly frame: string
  readonly frameLine: string
  readonly uses: string
  readonly good: string
  readonly bad: string
  readonly wait: string
  readonly person: string
}

const light: Palette = {
  page: '#ffffff',
  box: '#ffffff',
  text: '#1f2328',
  dim: '#59636e',
  line: '#818b98',
  frame: '#f6f8fa',
  frameLine: '#d1d9e0',
  uses: '#0969da',
  good: '#1a7f37',
  bad: '#cf222e',
  wait: '#9a6700',
  person: '#8250df',
}

const dark: Palette = {
  page: '#0d1117',
  box: '#161b22',
  text: '#e6edf3',
  dim: '#9198a1',
  line: '#6e7681',
  frame: '#11161d',
  frameLine: '#30363d',
  uses: '#4493f8',
  good: '#3fb950',
  bad: '#f85149',
  wait: '#d29922',
  person: '#ab7df8',
}

const colours = (palette: Palette): string => `
.tg-page,.tg-label-page{fill:${palette.page}}
.tg-box{fill:${palette.box};stroke:${palette.line}}
.tg-title,.tg-frame-title{fill:${palette.text}}
.tg-note,.tg-frame-title,.tg-code{fill:${palette.dim}}
.tg-line{stroke:${palette.line}}
.tg-head,.tg-bar{fill:${palette.line}}
.tg-frame-title{stroke:${palette.frame}}
.tg-frame{fill:${palette.frame};stroke:${palette.frameLine}}
.tg-stripe{fill:${palette.line}}
.tg-uses .tg-stripe,.tg-call .tg-stripe{fill:${palette.uses}}
.tg-wait .tg-stripe,.tg-repeat .tg-stripe{fill:${palette.wait}}
.tg-checkpoint .tg-stripe{fill:${palette.person}}
.tg-return .tg-box{stroke:${palette.good}}
.tg-fail .tg-box,.tg-line.tg-error{stroke:${palette.bad}}
.tg-head.tg-error,.tg-label.tg-error .tg-code{fill:${palette.bad}}
.tg-start .tg-box,.tg-end .tg-box{fill:${palette.text};stroke:${palette.text}}
.tg-start .tg-title,.tg-end .tg-title{fill:${palette.page}}`

export const style = `
.tg text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.tg .tg-title{font-size:13px;font-weight:600}
.tg .tg-frame-title{font-weight:600;paint-order:stroke;stroke-width:6px;stroke-linejoin:round}
.tg .tg-skill,.tg .tg-condition,.tg .tg-code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.tg .tg-middle{text-anchor:middle}
.tg-box,.tg-frame{stroke-width:1.2}
.tg-line{fill:none;stroke-width:1.4}
.tg-line.tg-error,.tg-line.tg-finally{stroke-dasharray:5 4}
.tg-return .tg-box,.tg-fail .tg-box{stroke-width:1.8}
.tg-optional .tg-box{stroke-dasharray:5 4}
${colours(light)}
@media (prefers-color-scheme:dark){${colours(dark)}
}
`

import { styleText } from 'node:util'

type Painter = Readonly<Record<'good' | 'bad' | 'warn' | 'dim' | 'strong', (text: string) => string>>

/** Colours where the stream is a terminal; `NO_COLOR` and `FORCE_COLOR` are honoured. */
function painter(stream: NodeJS.WriteStream): Painter {
  return {
    good: (text) => styleText('green', text, { stream }),
    bad: (text) => styleText('red', text, { stream }),
    warn: (text) => styleText('yellow', text, { stream }),
    dim: (text) => styleText('dim', text, { stream }),
    strong: (text) => styleText('bold', text, { stream }),
  }
}

/** For standard output. */
export const paint = painter(process.stdout)

/** For standard error, which may be a terminal where standard output is not, and the other way round. */
export const paintError = painter(process.stderr)

import { styleText } from 'node:util'

type Painter = Readonly<Record<'good' | 'bad' | 'warn' | 'dim' | 'strong', (text: string) => string>>

/** Colors for terminals; respects `NO_COLOR` and `FORCE_COLOR`. */
function painter(stream: NodeJS.WriteStream): Painter {
  return {
    good: (text) => styleText('green', text, { stream }),
    bad: (text) => styleText('red', text, { stream }),
    warn: (text) => styleText('yellow', text, { stream }),
    dim: (text) => styleText('dim', text, { stream }),
    strong: (text) => styleText('bold', text, { stream }),
  }
}

export const paint = painter(process.stdout)

/** Standard error may be a terminal when standard output is not, and vice versa. */
export const paintError = painter(process.stderr)

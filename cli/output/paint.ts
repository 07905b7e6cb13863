import { styleText } from 'node:util'

/** Colours, on a terminal only; `NO_COLOR` and `FORCE_COLOR` are honoured. */
export const paint = {
  good: (text: string) => styleText('green', text, { stream: process.stdout }),
  bad: (text: string) => styleText('red', text, { stream: process.stdout }),
  warn: (text: string) => styleText('yellow', text, { stream: process.stdout }),
  dim: (text: string) => styleText('dim', text, { stream: process.stdout }),
  strong: (text: string) => styleText('bold', text, { stream: process.stdout }),
}

/** Text from elsewhere, harmless on a terminal: control characters and direction overrides become `·`, long text is cut. */
export function printable(text: string, maxLength = 200): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain
}

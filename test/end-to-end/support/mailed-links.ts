/** The links of a mailed question, by the text before them. */
export function linksIn(source: string): Readonly<Record<string, string>> {
  const text = source
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const [plain = ''] = text.split('text/html')
  return Object.fromEntries(
    [...plain.matchAll(/^(.*):\r?\n(http\S+)/gm)].map(([, label = '', url = '']) => [label, url]),
  )
}

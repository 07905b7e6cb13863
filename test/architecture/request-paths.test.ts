import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const plugins = join(import.meta.dirname, '../../plugins')

/**
 * Code that puts values into the text of a path. Values belong in a list of segments
 * (core/plugin/request-path.ts).
 */
const madeByHand: readonly RegExp[] = [
  // `/devices/${id}`
  /`\/(?!\/)[^`\n]*\$\{/,
  // '/devices/' + id
  /(['"])\/[^'"\n]*\1\s*\+/,
  // http.get(`${path}/notes`)
  /\b(?:http|client)\.(?:get|post|request)\(\s*`/,
  /\bpath:\s*`(?!\$\{settings\.)/,
]

function problemsIn(source: string): readonly string[] {
  return source
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('*') && madeByHand.some((one) => one.test(line)))
}

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|[/\\])sandbox([/\\.])/.test(file),
  )
}

describe('request paths in plugins', () => {
  it('pass values as segments', () => {
    const files = sourcesOf(plugins)
    expect(files.length).to.be.greaterThan(100)
    const found = files.flatMap((file) =>
      problemsIn(readFileSync(join(plugins, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
    )
    expect(found).to.deep.equal([])
  })

  for (const line of [
    'const path = `/api/alerts/${encodeURIComponent(id)}`',
    "const path = '/api/alerts/' + id",
    'await http.get(`/me/${id}`)',
    'await http.post(`${path}/notes`)',
    'return { method, path: `${base}/x` }',
  ]) {
    it(`would be reported: ${line}`, () => expect(problemsIn(line)).to.deep.equal([line]))
  }
})

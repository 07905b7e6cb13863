import { expect } from 'chai'
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { formatPlaybook } from '../../core/playbook/yaml/format.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { badPlaybooks } from './bad-playbooks.ts'
import { example } from './example.ts'
import { catalogue } from './support.ts'
import { times, tries } from '../support/random.ts'

function format(source: string | Uint8Array): string {
  const formatted = formatPlaybook(source)
  if (formatted.kind !== 'formatted') throw new Error(JSON.stringify(formatted))
  return formatted.text
}

/** The parsed playbook without places and source text. */
function meaning(source: string): string {
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  const replace = (key: string, value: unknown) => {
    if (key === 'hash' || key === 'source' || key === 'place') return undefined
    return typeof value === 'object' && value !== null && 'evaluate' in value
      ? { program: (value as { source?: string }).source }
      : value
  }
  return JSON.stringify({ playbook, codes: problems.map(({ code }) => code).toSorted() }, replace)
}

const commentsOf = (source: string) =>
  source.split('\n').flatMap((line) => /(?:^|\s)(# note \d+)$/.exec(line)?.[1] ?? [])

const untidy = `\uFEFF# yaml-language-server: $schema=x\r
apiVersion:   tocsin/v1   # the version\r


name:    'untidy'
on: {manual: true}
description: >-
     Lines that are folded
     stay where they are,

     also long ones: ${'word, '.repeat(30)}end
tags: [ a,b ]
steps:   # in order


# before the first
- id: a
  set:
      text: "\${{ run.id }} and ${'a long text '.repeat(10)}"
      sum: \${{ 1   +   2 }}
      block: |
            literal
             lines

-     id: b   # at the end of a line
      if:    run.dry_run
      return: {x: [1,2 , {y: 3}]}
# the end
`

const tidy = `# yaml-language-server: $schema=x
apiVersion: tocsin/v1 # the version

name: 'untidy'
on: { manual: true }
description: >-
  Lines that are folded
  stay where they are,

  also long ones: ${'word, '.repeat(30)}end
tags: [a, b]
steps: # in order

  # before the first
  - id: a
    set:
      text: "\${{ run.id }} and ${'a long text '.repeat(10)}"
      sum: \${{ 1   +   2 }}
      block: |
        literal
         lines

  - id: b # at the end of a line
    if: run.dry_run
    return: { x: [1, 2, { y: 3 }] }

# the end
`

describe('formatPlaybook()', () => {
  it('formats indentation, spacing and blank lines, and keeps texts and expressions', () => {
    expect(format(untidy)).to.equal(tidy)
  })

  it('keeps the notation of numbers', () => {
    const text =
      'name: x\nsteps:\n  - set: { a: 0x1F, b: 007, c: 1e3, d: 1.50, e: 9007199254740993 } # numbers\n'
    expect(formatPlaybook(text)).to.deep.equal({ kind: 'formatted', text })
  })

  it('uses a line per entry if a flow map would be too wide', () => {
    const wide = `apiVersion: tocsin/v1\nname: x\non: { manual: true }\noutputs: { first: "${'a'.repeat(60)}", second: "${'b'.repeat(60)}" }\nsteps: [{ return: 1 }]\n`
    expect(format(wide)).to.include(
      `outputs:\n  {\n    first: "${'a'.repeat(60)}",\n    second: "${'b'.repeat(60)}",\n  }`,
    )
  })

  it('does not change the shipped playbooks', () => {
    const folder = new URL('../../playbooks/', import.meta.url)
    const files = readdirSync(folder).filter((name) => /^[^.]+\.yaml$/.test(name))
    expect(files.length).to.be.greaterThan(1)
    for (const file of files) {
      const source = readFileSync(new URL(file, folder), 'utf8')
      expect(format(source), file).to.equal(source)
    }
  })

  it('refuses invalid YAML with a position', () => {
    for (const source of [
      'a: [1',
      'a: "x',
      'a: b: c',
      '\tx: 1',
      '%YAML 1.1\n---\na: 1',
      new Uint8Array([255]),
    ]) {
      const formatted = formatPlaybook(source, 'p.yaml')
      expect(formatted.kind, String(source)).to.equal('refused')
      if (formatted.kind === 'refused') {
        expect(formatted.problems[0]).to.include({ severity: 'error', file: 'p.yaml' })
      }
    }
  })

  it('formats playbooks with other problems, and keeps the problems', () => {
    for (const [code, { source }] of Object.entries(badPlaybooks)) {
      const formatted = formatPlaybook(source)
      if (formatted.kind !== 'formatted' || typeof source !== 'string') continue
      expect(meaning(formatted.text), code).to.equal(meaning(source))
      expect(format(formatted.text), code).to.equal(formatted.text)
    }
  })

  it('keeps the content and every comment, and is idempotent', () => {
    const lines = example.split('\n')
    const change = fc.record({
      line: fc.nat(lines.length - 1),
      what: fc.constantFrom('blank', 'blanks', 'trailing', 'note', 'line note', 'crlf', 'deeper'),
      indent: fc.nat(8),
    })
    let formattedCount = 0
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const source = apply(lines, changes)
        const formatted = formatPlaybook(source)
        if (formatted.kind !== 'formatted') return
        formattedCount++
        const { text } = formatted
        expect(meaning(text)).to.equal(meaning(source.replaceAll('\r\n', '\n')))
        expect(commentsOf(text).toSorted()).to.deep.equal(
          commentsOf(source.replaceAll('\r\n', '\n')).toSorted(),
        )
        expect(format(text)).to.equal(text)
        expect(text).to.not.match(/[ \t]\n|\n\n\n|\r/)
      }),
      tries(30),
    )
    expect(formattedCount).to.be.greaterThan(times(15))
  })
})

function apply(
  lines: readonly string[],
  changes: readonly { line: number; what: string; indent: number }[],
): string {
  const changed: string[] = [...lines]
  for (const [number, { line, what, indent }] of changes.entries()) {
    const text = changed[line]!
    const isNoted = text.includes('#')
    if (what === 'blank') changed[line] = `\n${text}`
    else if (what === 'blanks') changed[line] = `\n\n\n${text}`
    else if (what === 'trailing' && !isNoted) changed[line] = `${text}   `
    else if (what === 'note' && text.trim() !== '' && !isNoted) changed[line] = `${text} # note ${number}`
    else if (what === 'line note') changed[line] = `${' '.repeat(indent)}# note ${number}\n${text}`
    else if (what === 'crlf') changed[line] = `${text}\r`
    else if (what === 'deeper') changed[line] = text.replace(/: (\{)/, ':    $1')
  }
  return changed.join('\n')
}

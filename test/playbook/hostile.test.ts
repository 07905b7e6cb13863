import { expect } from 'chai'
import * as fc from 'fast-check'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { example } from './example.ts'
import { catalogue, check, codesOf, withSteps } from './support.ts'
import { times, tries } from '../support/random.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'

/** Far more than any input needs, far less than a quadratic step would take. */
const enoughMs = 3000

function quickly(source: string | Uint8Array) {
  const started = processorTime()
  const problems = check(source)
  expect(processorTime() - started, 'time taken').to.be.below(limitHere(enoughMs))
  return problems
}

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, at) => {
    const [name, before] = ['bcdefghij'[at], 'abcdefghi'[at]]
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`
  }),
].join('\n')

const hostile: Readonly<Record<string, readonly [source: string | Uint8Array, code: string]>> = {
  'a hundred thousand [': ['['.repeat(100_000), 'E004'],
  'a hundred thousand [ on lines of their own': ['[\n'.repeat(100_000), 'E004'],
  'a hundred thousand {a:': ['{a: '.repeat(60_000), 'E004'],
  'a hundred thousand -': ['- '.repeat(100_000), 'E004'],
  'a hundred thousand ?': ['? '.repeat(100_000), 'E004'],
  'keys indented ever further': [
    Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    'E004',
  ],
  'brackets behind what looks like a quote': [`a: it's\nb: ${'['.repeat(1000)}`, 'E004'],
  'depth that only aliases make': [
    `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}`,
    'E004',
  ],
  'an alias bomb': [bomb, 'E005'],
  'an alias inside its anchor': ['a: &a [*a]', 'E006'],
  'a thousand anchors': [Array.from({ length: 1000 }, (_, at) => `- &a${at} x`).join('\n'), 'E006'],
  '20,000 keys': [Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n'), 'E005'],
  'a hundred thousand commas': [`[${','.repeat(100_000)}]`, 'E005'],
  'nothing but line ends': ['\n'.repeat(250_000), 'E005'],
  'quotes that are never closed': [`a: '\n${"''\n".repeat(80_000)}`, 'E101'],
  'escaped quotes that are never closed': [`a: "\n${'\\"\n'.repeat(80_000)}`, 'E101'],
  NULs: ['\0'.repeat(1000), 'E003'],
  'a terminal escape': ['name: "\u001b[2J"', 'E003'],
  'text that reads backwards': ['name: a\u202eb', 'E003'],
  'lone carriage returns': ['a: 1\rb: 2', 'E003'],
  'half a surrogate pair': ['name: \ud800', 'E002'],
  'bytes that are not UTF-8': [Uint8Array.of(0x6e, 0x3a, 0x20, 0xc3, 0x28), 'E002'],
  'UTF-16': [new Uint8Array(Buffer.from('\ufeffname: x', 'utf16le')), 'E002'],
  'tabs as indentation': ['on:\n\talert: x', 'E101'],
  'a tag': ['name: !!python/object x', 'E102'],
  'a directive': ['%YAML 1.1\n---\nname: x', 'E102'],
  'two documents': ['name: x\n---\nname: y', 'E102'],
  'a merge key': ['a: &a { x: 1 }\nb: { <<: *a }', 'E102'],
  'an integer that JSON cannot keep': [withSteps('  - return: 12345678901234567890'), 'E102'],
  infinity: [withSteps('  - return: .inf'), 'E102'],
  nothing: ['', 'E106'],
  'a comment': ['# nothing', 'E106'],
  'a hundred megabytes': [new Uint8Array(100_000_000), 'E001'],
  'a huge scalar': [`name: ${'x'.repeat(1_000_000)}`, 'E001'],
  'a key named __proto__': [withSteps('  - return: 1', '__proto__: { polluted: true }'), 'E104'],
  'quotes in an expression, never closed': [
    withSteps(`  - fail: "\${{ ${"'\\\\".repeat(20_000)} }}"`),
    'E209',
  ],
  'two thousand steps that name steps there are not': [
    withSteps(
      Array.from(
        { length: 2000 },
        (_, at) =>
          `  - { id: step_number_${at}_of_many, set: { x: "\${{ steps.no_such_${at}_step_at_all.ok }}" } }`,
      ).join('\n'),
    ),
    'E302',
  ],
  'thousands of large patterns': [
    withSteps(
      `  - set:\n${Array.from({ length: 4000 }, (_, at) => `      a${at}: "\${{ 'x'.matches('a{900}b{9}${at}') }}"`).join('\n')}`,
    ),
    'E209',
  ],
  'thousands of large patterns of inputs': [
    withSteps(
      '  - return: 1',
      `inputs:\n${Array.from({ length: 1500 }, (_, at) => `  a${at}: { type: string, pattern: 'a{900}b{9}${at}' }`).join('\n')}`,
    ),
    'E311',
  ],
  'expressions never closed': [withSteps(`  - fail: "${'${{ '.repeat(20_000)}"`), 'E201'],
}

describe('a hostile playbook', function () {
  this.timeout(times(60_000))
  for (const [name, [source, code]] of Object.entries(hostile)) {
    it(`is refused quickly: ${name}`, () => {
      const problems = quickly(source)
      expect(codesOf(problems)).to.include(code)
      expect(problems.length).to.be.at.most(201)
      if (problems.length > 200) expect(problems.at(-1)?.code, 'says that there is more').to.equal('I502')
      for (const { line, column, endLine, endColumn } of problems) {
        expect(line).to.be.at.least(1)
        expect(column).to.be.at.least(1)
        expect(endLine > line || (endLine === line && endColumn >= column)).to.equal(true)
      }
    })
  }

  it('is reported once as too large, without follow-up problems', () => {
    for (const source of [
      bomb,
      withSteps(`  - set:\n      ${bomb.replaceAll('\n', '\n      ')}\n  - return: 1`),
    ]) {
      expect(codesOf(check(source))).to.deep.equal(['E005'])
    }
    const deep = `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(40)}*a, *a${']'.repeat(40)}\nc: *a`
    expect(codesOf(check(deep))).to.deep.equal(['E004'])
  })

  it('is refused for its error, regardless of the number of warnings before it', () => {
    const warned = Array(300)
      .fill('  - switch: [{ when: run.dry_run, steps: [{ uses: case.update }] }]')
      .join('\n')
    const problems = check(withSteps(`${warned}\n  - return: "\${{ nobody }}"`))
    expect(problems.filter(({ code }) => code === 'E204')).to.have.lengthOf(1)
    expect(problems.length).to.equal(202)
    expect(problems.at(-1)?.code, 'says that there is more').to.equal('I502')
  })

  it('may use the limits of size and depth', () => {
    const many = Array.from({ length: 3000 }, (_, at) => `k${at}: [${at}, { text: "x" }]`).join('\n      ')
    expect(quickly(withSteps(`  - set:\n      ${many}`)).map(({ code }) => code)).to.deep.equal(['W403'])
    const depth = 55
    expect(codesOf(quickly(withSteps(`  - return: ${'['.repeat(depth)}${']'.repeat(depth)}`)))).to.deep.equal(
      [],
    )
  })

  it('reads the same with a byte order mark and with CRLF', () => {
    const source = withSteps('  - return: "${{ nobody }}"')
    const problems = check(source)
    expect(problems).to.have.lengthOf(1)
    expect(check(`\uFEFF${source}`)).to.deep.equal(problems)
    expect(check(source.replaceAll('\n', '\r\n'))).to.deep.equal(problems)
    expect(check(new TextEncoder().encode(`\uFEFF${source}`))).to.deep.equal(problems)
  })

  it('returns a list of problems for any bytes', () => {
    holds(fc.uint8Array({ maxLength: 200 }))
  })

  it('returns a list of problems for any YAML-like text', () => {
    holds(fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')))
    holds(fc.array(piece, { maxLength: 25 }).map((pieces) => withSteps(`  - ${pieces.join('')}`)))
  })

  it('returns a list of problems for any mutation of a valid playbook', () => {
    const edit = fc.tuple(fc.nat(example.length), fc.nat(12), piece)
    const cut = (text: string, [at, length, put]: readonly [number, number, string]) =>
      text.slice(0, at) + put + text.slice(at + length)
    holds(fc.array(edit, { minLength: 1, maxLength: 6 }).map((edits) => edits.reduce(cut, example)))
  })
})

const piece = fc.constantFrom(
  ...'a|b: |- |? |: |[|]|{|}|, |"|\'|>|&a |*a|!!x |# c|\n|\n  |\t| |<<: |---\n|%|\\|\r\n|😀|1|null'.split(
    '|',
  ),
  ...'${{ | }}|$${{|steps|.|alert.data|(|)|uses: |case.update|if: |set: |switch: |when: |foreach: |on_error: |id: '.split(
    '|',
  ),
  '|',
)

function holds(sources: fc.Arbitrary<string | Uint8Array>): void {
  fc.assert(
    fc.property(sources, (source) => {
      const { playbook, problems } = parsePlaybook(source, { catalogue, connections: [] })
      for (const { line, column, endLine, endColumn } of problems) {
        if (line < 1 || column < 1 || endLine < line || (endLine === line && endColumn < column)) return false
      }
      return (playbook === undefined) === problems.some((problem) => problem.severity === 'error')
    }),
    tries(300),
  )
}

const head = 'apiVersion: tocsin/v1\nname: large\non: { manual: true }\nsteps:\n'

const times = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join('')

/** Conditions nested to the maximum depth, each with its own steps. */
function nested(depth: number, stepsInEach: number): string {
  const level = (at: number): string => {
    const indent = '    '.repeat(at)
    const steps = `${indent}  - set: { a: 1 }\n`.repeat(stepsInEach)
    return at === depth
      ? steps
      : `${steps}${indent}  - if: run.id != "${at}"\n${indent}    steps:\n${level(at + 1)}`
  }
  return head + level(0)
}

/** Valid playbooks close to the maximum size (256 KB, 20,000 nodes), each large in a different way. */
export const largePlaybooks: Readonly<Record<string, string>> = {
  'steps in a row': head + times(3_300, () => '  - set: { a: 1 }\n'),
  'steps with ids': head + times(2_800, (at) => `  - id: s${at}\n    set: { a: 1 }\n`),
  'steps that read the one before':
    head +
    times(
      2_200,
      (at) => `  - id: s${at}\n    set: { a: "\${{ ${at === 0 ? '1' : `steps.s${at - 1}.output.a`} }}" }\n`,
    ),
  'conditions in a row': head + times(2_200, (at) => `  - if: run.id == "${at}"\n    set: { a: 1 }\n`),
  'conditions in conditions': nested(13, 200),
  'groups in a row': head + times(2_000, () => '  - steps:\n      - set: { a: 1 }\n'),
  'branches side by side': `${head}  - parallel:\n${times(2_500, () => '      - set: { a: 1 }\n')}`,
  'cases of one switch': `${head}  - switch:\n${times(1_500, (at) => `      - when: run.id == "${at}"\n        steps:\n          - set: { a: 1 }\n`)}`,
  'errors that are handled':
    head + times(1_200, () => '  - steps:\n      - set: { a: 1 }\n    on_error:\n      - set: { a: 1 }\n'),
  'steps that end the run': head + times(2_200, (at) => `  - if: run.id == "${at}"\n    return: 1\n`),
  'a text of many expressions': `${head}  - set: { a: "${'${{ 1 }}x'.repeat(19_000)}" }\n`,
  'expressions of many terms':
    head + times(250, () => `  - set: { a: "\${{ ${Array(250).fill('1').join(' + ')} }}" }\n`),
  'loops in expressions':
    head +
    times(
      900,
      () =>
        '  - set: { a: "${{ [1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, a + b + c + d + e > 0))))) }}" }\n',
    ),
  'a long text': `${head}  - set: { a: "${'x'.repeat(250_000)}" }\n`,
  'a map of many keys': `${head}  - set:\n${times(9_500, (at) => `      k${at}: 1\n`)}`,
  aliases: `${head}  - set: { a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9] }\n${times(99, () => '  - set: { a: *a }\n')}`,
}

import { expect } from 'chai'
import { parsed, playbookSource, problemsOf, testsSource } from './support.ts'

const playbook = playbookSource(`
  - { id: who, uses: people.find, with: { email: x } }
  - { id: note, set: { x: "\${{ steps.who.output.name }}" } }
  - { uses: case.update, with: { summary: "\${{ steps.note.output.x }}" } }`)

const anything = '  - { name: a, expect: {} }'

/** The mistake in a file, the problem, and the marked text. */
const wrong: readonly (readonly [what: string, source: string, says: RegExp, marked: string])[] = [
  ['an unknown key', testsSource(anything, 'mokcs: {}\n'), /E104 .*'mokcs'.*did you mean 'mocks'/s, 'mokcs'],
  ['no tests', 'playbook: p.yaml\n', /E105 .*needs `tests`/, 'playbook'],
  ['an empty list of tests', 'playbook: p.yaml\ntests: []\n', /E106 .*there are no tests here/, '[]'],
  ['an empty file', '', /E106 .*the file is empty/, ''],
  ['no playbook', 'tests: []\n', /E105 .*needs `playbook`/, 'tests'],
  [
    'a playbook that is not there',
    'playbook: q.yaml\ntests: []\n',
    /E603 .*there is no playbook 'q.yaml'/,
    'q.yaml',
  ],
  ['a test without expectations', testsSource('  - name: a'), /E105 .*needs `expect`/, 'name'],
  [
    'two tests with the same name',
    testsSource(`${anything}\n${anything}`),
    /E604 .*another test is named 'a'/,
    'a',
  ],
  [
    'an unknown step',
    testsSource('  - { name: a, expect: { path: [hwo] } }'),
    /E302 .*no step 'hwo'.*did you mean 'who'/s,
    'hwo',
  ],
  [
    'an unknown skipped step',
    testsSource('  - { name: a, expect: { skipped: [7] } }'),
    /E302 .*no step '7'/,
    '7',
  ],
  [
    'an unknown skill in a call',
    testsSource('  - { name: a, expect: { calls: [{ skill: people.fnd }] } }'),
    /E301 .*'people.fnd'.*did you mean/s,
    'people.fnd',
  ],
  [
    'an empty call',
    testsSource('  - { name: a, expect: { calls: [{ times: 1 }] } }'),
    /E105 .*names a `skill` or a `step`/,
    'times',
  ],
  [
    'an unknown status',
    testsSource('  - { name: a, expect: { status: done } }'),
    /E107 .*'done' is not one of completed/,
    'done',
  ],
  [
    'an unknown case field',
    testsSource('  - { name: a, expect: { case: { colour: red } } }'),
    /E104 .*'colour'/,
    'colour',
  ],
  [
    'an invalid duration',
    testsSource('  - { name: a, expect: { duration: soon } }'),
    /E107 .*'soon' is not a duration/,
    'soon',
  ],
  [
    'a reversed range',
    testsSource('  - { name: a, expect: { duration: { min: 2m, max: 1m } } }'),
    /E107 .*`min` is longer than `max`/,
    '{ min',
  ],
  [
    'a non-numeric number of times',
    testsSource('  - { name: a, expect: { calls: [{ step: who, times: often }] } }'),
    /E106 .*expected a whole number for `times`/,
    'often',
  ],
  [
    'a mock of an unknown skill',
    testsSource(anything, 'mocks: { people.fnd: { output: {} } }\n'),
    /E301 .*no skill 'people.fnd'/,
    'people.fnd',
  ],
  [
    'a mock of an unknown step',
    testsSource(anything, 'mocks: { steps.hwo: { output: {} } }\n'),
    /E302 .*no step 'hwo'/,
    'steps.hwo',
  ],
  [
    'a mock of a step without a call',
    testsSource(anything, 'mocks: { steps.note: { output: {} } }\n'),
    /E602 .*calls no skill/,
    'steps.note',
  ],
  [
    'an invalid output',
    testsSource(anything, 'mocks: { people.find: { output: { name: 5, risk: 1 } } }\n'),
    /E602 .*name: must be .*string/,
    '5',
  ],
  [
    'an incomplete output',
    testsSource(anything, 'mocks: { people.find: { output: { name: x } } }\n'),
    /E602 .*risk is missing/,
    '{ name',
  ],
  [
    'an invalid changed example',
    testsSource(anything, 'mocks: { people.find: { example: A person, output: { risk: -1 } } }\n'),
    /E602 .*risk: /,
    '-1',
  ],
  [
    'an unknown example',
    testsSource(anything, 'mocks: { people.find: { example: A persn } }\n'),
    /E107 .*no example 'A persn'.*did you mean 'A person'/s,
    'A persn',
  ],
  [
    'two replies at once',
    testsSource(anything, 'mocks: { people.find: { output: {}, error: { code: x } } }\n'),
    /E601 .*not `output` and `error`/,
    'output',
  ],
  [
    'an error without code',
    testsSource(anything, 'mocks: { people.find: { error: { message: x } } }\n'),
    /E105 .*needs `code`/,
    'message',
  ],
  [
    'retry_after for a permanent error',
    testsSource(anything, 'mocks: { people.find: { error: { code: x, retry_after: 5s } } }\n'),
    /E112 .*`retry_after`/,
    'retry_after',
  ],
  [
    'a non-boolean retryable',
    testsSource(anything, 'mocks: { people.find: { error: { code: x, retryable: 1 } } }\n'),
    /E106 .*expected true or false for `retryable`/,
    '1',
  ],
  [
    'an alert with content and data',
    testsSource(anything, 'fixtures: { alert: { content: x, data: {} } }\n'),
    /E112 .*`content` or `data`/,
    'data',
  ],
  [
    'a time without zone',
    testsSource(anything, 'fixtures: { now: "2026-01-01T00:00:00" }\n'),
    /E107 .*is not a time/,
    '"2026',
  ],
  [
    'inputs that are not a map',
    testsSource(anything, 'fixtures: { inputs: [] }\n'),
    /E106 .*expected a map for `inputs`/,
    '[]',
  ],
  [
    'an unknown unreachable branch',
    testsSource(anything, 'unreachable: [who skip]\n'),
    /E107 .*not a branch/,
    'who skip',
  ],
  [
    'alert fields instead of its content',
    testsSource(anything, 'fixtures: { alert: { ip: 1.2.3.4 } }\n'),
    /E104 .*unknown key 'ip' in an alert[^]*content under `data`/,
    'ip',
  ],
  [
    'a misspelled status',
    testsSource('  - { name: a, expect: { status: sucess } }'),
    /E107 .*'sucess' is not one of [^]*did you mean 'completed'/,
    'sucess',
  ],
  [
    'a mock with a partial output',
    testsSource(anything, 'mocks: { people.find: { output: { name: x } } }\n'),
    /E602 .*missing[^]*an example gives the rest: \{ example: A person, output: /,
    '{ name',
  ],
  [
    'a playbook without its file extension',
    testsSource(anything).replace('p.yaml', 'p'),
    /E603 .*there is no playbook 'p'[^]*did you mean p\.yaml/,
    'p',
  ],
  ['a merge key', testsSource(anything, 'mocks: { <<: {} }\n'), /E102 .*merge keys/, '<<'],
  ['broken YAML', 'playbook: "x', /E101 /, '"x'],
]

describe('a test file', () => {
  for (const [what, source, says, marked] of wrong) {
    it(`with ${what} is refused with a position`, () => {
      const { tests } = parsed(playbook, source)
      expect(tests).to.equal(undefined)
      const first = problemsOf(playbook, source).find((problem) => says.test(problem)) ?? ''
      expect(first, problemsOf(playbook, source).join('\n')).to.match(says)
      const [, line = '', carets = ''] = first.split('\n')
      expect(line.slice(carets.indexOf('^')).startsWith(marked), first).to.equal(true)
    })
  }

  it('reports problems of its playbook', () => {
    const [problem] = problemsOf(playbook.replace('people.find', 'people.fnd'), testsSource(anything))
    expect(problem).to.match(
      /E603  the playbook 'p.yaml' has \d problems?: 5:\d+ the plugin 'people' has no skill/,
    )
  })

  it('warns about a mock for a skill that the playbook never calls, and still runs', () => {
    const source = testsSource(anything, 'mocks: { people.post: { output: { id: x } } }\n')
    expect(problemsOf(playbook, source)[0]).to.match(/warning W601  the playbook never calls people.post/)
    expect(parsed(playbook, source).tests?.tests).to.have.length(1)
  })

  it('may contain expressions as text, which are not evaluated', () => {
    const source = testsSource(anything, 'fixtures: { alert: { content: "${{ 1 + 1 }}" } }\n')
    expect(parsed(playbook, source).tests?.tests[0]?.fixtures.alert?.content).to.equal('${{ 1 + 1 }}')
  })

  it('treats keys such as __proto__ like any other', () => {
    const source = testsSource(anything, 'fixtures: { alert: { data: { __proto__: { admin: true } } } }\n')
    const content = parsed(playbook, source).tests?.tests[0]?.fixtures.alert?.content
    expect(content).to.equal('{"__proto__":{"admin":true}}')
    expect(({} as { admin?: boolean }).admin).to.equal(undefined)
  })
})

const asking = playbookSource(`
  - id: confirm
    checkpoint: { via: operator, with: { message: Was it you? }, answers: [mine, not_mine], timeout: 30m }
  - id: details
    checkpoint:
      via: operator
      with: { message: Which machine? }
      form: { type: object, required: [machine], properties: { machine: { type: string } } }
      timeout: 1h
  - { id: who, uses: people.find, with: { email: "\${{ steps.confirm.output.answer }}" } }
  - return: "\${{ [steps.details.output.by, steps.who.output.name] }}"`)

describe('mocks of checkpoints', () => {
  const mock = (text: string) => testsSource(anything, `mocks:\n  ${text}\n`)

  it('give a valid answer, possibly delayed, or none in time', () => {
    const source = mock(`steps.confirm: { answer: not_mine, by: kim, text: no idea, delay: 5m }
  steps.details: [timeout, { answer: { machine: m-7 } }]`)
    expect(problemsOf(asking, source)).to.deep.equal([])
    const { mocks } = parsed(asking, source).tests!.tests[0]!
    expect(mocks.get('steps.confirm')).to.deep.equal([
      {
        kind: 'answer',
        answer: 'not_mine',
        by: 'kim',
        byKind: undefined,
        byName: undefined,
        text: 'no idea',
        delayMs: 300_000,
        with: undefined,
      },
    ])
    expect(mocks.get('steps.details')?.map(({ kind }) => kind)).to.deep.equal(['timeout', 'answer'])
  })

  for (const [text, says] of [
    ['steps.confirm: { answer: mien }', /E202 .*'mien' is not one of mine, not_mine.*did you mean 'mine'/s],
    ['steps.details: { answer: { machine: 7 } }', /E602 .*machine: must be/],
    ['steps.confirm: { output: {} }', /E602 .*a person answers a checkpoint/],
    ['steps.who: { answer: mine }', /E602 .*only a checkpoint is answered/],
    ['steps.confirm: { answer: mine, by_kind: robot }', /E106 .*write person or api_key/s],
    ['steps.confirm: { timeout: true, by_kind: person }', /E112 .*`by_kind` goes with `answer`/],
    ['steps.who: { example: Nobody, by: kim }', /E112 .*`by` goes with `answer`/],
    ['steps.confirm: { delay: 5m }', /E601 .*a checkpoint has an `answer`/s],
  ] as const) {
    it(`are refused if invalid: ${text}`, () => {
      expect(problemsOf(asking, mock(text)).join('\n')).to.match(says)
    })
  }
})

describe('inputs of a test', () => {
  const withInputs = playbookSource(
    '  - set: { x: 1 }',
    'inputs: { n: { type: integer }, word: { type: string, default: a } }\n',
  ).replace('alert: { type: odd }', 'manual: true')

  it('get the defaults of the playbook', () => {
    const source = testsSource(anything, 'fixtures: { inputs: { n: 5 } }\n')
    expect(parsed(withInputs, source).tests?.tests[0]?.fixtures.inputs).to.deep.equal({ n: 5, word: 'a' })
  })

  it('must match the playbook', () => {
    const wrong = (inputs: string) =>
      problemsOf(withInputs, testsSource(anything, `fixtures: { inputs: ${inputs} }\n`))
    expect(wrong('{ n: many }')[0]).to.match(/E107 .*the input n .*whole number/)
    expect(wrong('{ n: 1, nn: 2 }')[0]).to.match(/E107 .*the input nn is not an input of the playbook/)
    expect(wrong('{}')[0]).to.match(/E107 .*the input n is required/)
  })
})

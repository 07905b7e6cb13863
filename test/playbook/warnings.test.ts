import { expect } from 'chai'
import { definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/build-catalogue.ts'
import { check, withSteps } from './support.ts'

const open = `alert:
  type: object
  additionalProperties: true
  required: [healthStatus, user, device]
  properties:
    healthStatus: { type: string }
    user: { type: string }
    id: { type: string }
    url: { type: string }
    device: { type: object, additionalProperties: true, properties: { ip1: { type: string }, os: { type: string } } }
`

const said = (steps: string, rest = '') =>
  check(withSteps(steps, rest))
    .filter(({ code, severity }) => severity !== 'info' && code !== 'W403')
    .map(({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`)

describe('a name that is almost a listed one, in an open schema', () => {
  const read = (expression: string) => said(`  - return: '\${{ ${expression} }}'`, open)

  for (const [expression, hint] of Object.entries({
    'alert.data.healthStaus': 'healthStatus',
    'alert.data.health_status': 'healthStatus',
    'alert.data.healthstatus': 'healthStatus',
    'alert.data.usr': 'user',
    'alert.data["usre"]': '"user"',
    'alert.data.?healthSttaus.orValue("")': 'healthStatus',
    'has(alert.data.healthStatu)': 'healthStatus',
    '"Device" in alert.data': '"device"',
    '[alert.data].map(d, d.divice)[0]': 'device',
  })) {
    it(`is warned of: ${expression}`, () => {
      expect(read(expression)).to.have.length(1)
      expect(read(expression)[0])
        .to.match(/^W420 /)
        .and.contain(`(did you mean ${hint}?)`)
    })
  }

  it('is warned of in conditions before a run too', () => {
    const source = withSteps('  - return: 1', open).replace(
      'type: t',
      'type: t, where: \'alert.data.usr == "x"\'',
    )
    expect(check(source).map(({ code }) => code)).to.deep.equal(['W420'])
  })

  it('is not another name of its own', () => {
    for (const name of ['healthScore', 'uri', 'ip', 'users.name', 'severity', 'device.ip2', 'device.cos'])
      expect(
        read(`alert.data.${name}`).filter((each) => each.startsWith('W420')),
        name,
      ).to.deep.equal(
        name.startsWith('users') ? ["W420 alert.data lists no field 'users' (did you mean user?)"] : [],
      )
  })

  it('is warned of in what a skill is given', () => {
    const tag = defineSkill({
      name: 'tag',
      title: 'Tag',
      description: 'For tests.',
      effect: 'read',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['labels'],
        properties: {
          labels: {
            type: 'object',
            additionalProperties: { type: 'string' },
            properties: { severity: { type: 'string' } },
          },
        },
      },
      output: { type: 'object', additionalProperties: false, properties: {} },
      examples: [],
      run: async () => ({}),
    })
    const catalogue = buildCatalogue([
      definePlugin({ name: 'open', title: 'Open', description: 'For tests.', skills: [tag] }),
    ])
    const given = (key: string) =>
      check(
        withSteps(
          `  - { id: a, uses: open.tag, with: { labels: { ${key}: x } } }\n  - return: \${{ steps.a.ok }}`,
        ),
        {
          catalogue,
        },
      ).map(({ code, message, hint }) => `${code} ${message} (${hint})`)
    expect(given('sevrity')).to.deep.equal([
      "W420 'labels.sevrity' is not listed here (did you mean 'severity'?)",
    ])
    expect(given('colour')).to.deep.equal([])
    expect(given('severity')).to.deep.equal([])
  })
})

describe('a comment that cuts a value', () => {
  for (const [step, hint] of Object.entries({
    'fail: See ticket #123': 'write "See ticket #123"',
    'fail: Meet in room # 5, please': 'write "Meet in room # 5, please"',
    'fail: Tell "them" (and #soc) now': 'write \'Tell "them" (and #soc) now\'',
    'set: { x: 1 }\n    name: #alerts': 'write "#alerts"',
    'set:\n      x: #alerts': 'write "#alerts"',
    'set:\n      x:\n        - #alerts\n        - b': 'write "#alerts"',
    'fail: ${{ "a # b" }}': 'write \'${{ "a # b" }}\'',
  })) {
    it(`is warned of: ${step.replaceAll('\n', ' ')}`, () => {
      const found = said(`  - ${step}`).filter((each) => each.startsWith('W421'))
      expect(found).to.have.length(1)
      expect(found[0]).to.contain(`(${hint})`)
    })
  }

  it('is a comment where it is written like one', () => {
    for (const step of [
      'fail: It is over # says who?',
      'wait: 5m # 300 seconds',
      'uses: case.update # closes it\n    with: { severity: low } # 2nd',
      'set: # the values\n      x: 1 # one',
      'fail: "See ticket #123"',
      'fail: See ticket#123',
      'fail: |\n      See ticket #123',
      'set: { x: 1 } #x',
    ])
      expect(
        said(`  - ${step}`).filter((each) => each.startsWith('W421')),
        step,
      ).to.deep.equal([])
  })
})

describe('keys of maps that are no text', () => {
  const warned = [
    'W422 the keys of this map become text (write the keys as text: {"1": …}, or {string(x): …})',
  ]

  it('are warned of wherever they are kept', () => {
    expect(said(`  - return: '\${{ {1: "a"} }}'`)).to.deep.equal(warned)
    expect(said(`  - return: { a: ['\${{ [1, 2].map(k, {k: true}) }}'] }`)).to.deep.equal(warned)
    expect(said(`  - return: 1\noutputs: { q: '\${{ {true: 1} }}' }`)).to.deep.equal(warned)
    expect(
      said(`  - { id: s, set: { m: '\${{ {1: "a"} }}' } }\n  - return: \${{ steps.s.output.m }}`),
    ).to.deep.equal(warned)
  })

  it('are as good as any other in between', () => {
    expect(said(`  - return: '\${{ {1: "a"}[1] }}'`)).to.deep.equal([])
    expect(said(`  - return: '\${{ {"1": "a"} }}'`)).to.deep.equal([])
  })

  it('are looked for in an empty map too, which holds nothing of any type', () => {
    expect(
      said(`  - return: '\${{ 7 in {} || 1.5 in {} }}'`).filter((each) => each.startsWith('E')),
    ).to.deep.equal([])
    expect(said(`  - return: '\${{ 7 in (now > now ? {} : {"1": "a"}) }}'`).join()).to.include('E203')
  })

  it('are text for whoever reads them later', () => {
    const set = `  - { id: s, set: { m: '\${{ {1: "a"} }}' } }\n`
    expect(said(`${set}  - return: '\${{ steps.s.output.m[1] }}'`)).to.deep.equal([
      ...warned,
      'E203 steps.s.output.m has text as keys: [int] is never there (write "1")',
    ])
    expect(said(`${set}  - return: '\${{ 1 in steps.s.output.m }}'`)).to.deep.equal([
      ...warned,
      'E203 steps.s.output.m has text as keys: int is never among them (write "1")',
    ])
    expect(said(`${set}  - return: '\${{ steps.s.output.m["1"] }}'`)).to.deep.equal(warned)
  })
})

describe('the timeout of a group that is done several times', () => {
  const loops = { foreach: 'foreach: [1, 2]', repeat: 'repeat: { until: now > now, every: 1m, max: 3 }' }

  for (const [name, loop] of Object.entries(loops)) {
    it(`is warned of with ${name}, since it counts for each of them`, () => {
      const step = `  - { ${loop}, timeout: 5m, steps: [{ wait: 10s }] }`
      expect(said(step).filter((each) => !each.startsWith('W424'))).to.deep.equal([
        `W423 with \`${name}\`, this timeout counts ${name === 'repeat' ? 'each time anew' : 'for each item anew'} ` +
          '(for all of them, put it on a group around this step; for each of them, on a group inside)',
      ])
    })
  }

  it('says what it means where the hint is followed', () => {
    expect(said(`  - { timeout: 1h, steps: [{ foreach: [1, 2], steps: [{ wait: 10s }] }] }`)).to.deep.equal(
      [],
    )
    expect(said(`  - { foreach: [1, 2], steps: [{ timeout: 5m, steps: [{ wait: 10s }] }] }`)).to.deep.equal(
      [],
    )
  })

  it('is that of one try where a skill is called', () => {
    expect(
      said('  - { foreach: [1, 2], timeout: 5s, uses: case.update, with: { severity: low } }'),
    ).to.deep.equal([])
  })
})

describe('what is said about each answer of a question', () => {
  const ask = (input: string, rest = 'answers: [yes, no]') =>
    said(`  - checkpoint: { via: operator, with: { message: x, ${input} }, ${rest}, timeout: 1h }`)

  it('is about an answer that there is', () => {
    expect(ask('labels: { yes: Yes, on: No }')).to.deep.equal([
      "E202 labels: 'on' is not one of yes, no (did you mean 'no'?)",
    ])
    expect(ask(`labels: '\${{ {"yse": alert.id} }}'`)).to.deep.equal([
      "E202 labels: 'yse' is not one of yes, no (did you mean 'yes'?)",
    ])
    expect(ask('labels: { yes: Yes, no: No }')).to.deep.equal([])
    expect(ask('labels: { later: Too late }', 'answers: [yes, no], on_timeout: later')).to.deep.equal([])
  })
})

describe('a condition that decides nothing', () => {
  const status = 'alert: { type: object, required: [s], properties: { s: { enum: [a, b, c] } } }'
  const warned = (outcome: string) =>
    `W424 this condition ${outcome} holds (${outcome === 'always' ? 'leave it out, or correct it' : 'correct it, or remove what it is for'})`
  const step = (condition: string, then = 'set: { x: 1 }') => `  - { if: '${condition}', ${then} }`

  it('is warned of by itself, and by what is certain around it', () => {
    expect(said(step('alert.type == "x" && alert.type == "y"'))).to.deep.equal([warned('never')])
    expect(said(step('1 < 2'))).to.deep.equal([warned('always')])
    const inner = `steps: [{ if: 'alert.data.s == "b"', set: { x: 1 } }]`
    expect(said(step('alert.data.s == "a"', inner), status)).to.deep.equal([warned('never')])
    const twice = `  - switch: [{ when: 'alert.data.s == "a"', steps: [{ fail: x }] }, { when: 'alert.data.s == "a"', steps: [{ fail: y }] }]\n    else: [{ fail: z }]`
    expect(said(twice, status)).to.deep.equal([warned('never')])
  })

  it('is not the last of several choices, nor what is asked of each item', () => {
    const all = ['a', 'b', 'c'].map((s) => `{ when: 'alert.data.s == "${s}"', steps: [{ fail: x }] }`)
    expect(said(`  - switch: [${all.join(', ')}]\n    else: [{ fail: z }]`, status)).to.deep.equal([])
    const loop = `foreach: [a, b], steps: [{ if: 'item == "a"', set: { x: 1 } }]`
    expect(said(step('alert.data.s == "a"', loop), status)).to.deep.equal([])
  })
})

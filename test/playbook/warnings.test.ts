import { expect } from 'chai'
import { definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { check, withSteps } from './support.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

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

describe('a name similar to a known one, in an open schema', () => {
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
    it(`causes a warning: ${expression}`, () => {
      expect(read(expression)).to.have.length(1)
      expect(read(expression)[0])
        .to.match(/^W420 /)
        .and.contain(`(did you mean ${hint}?)`)
    })
  }

  it('causes a warning in trigger conditions too', () => {
    const source = withSteps('  - return: 1', open).replace(
      'type: t',
      'type: t, where: \'alert.data.usr == "x"\'',
    )
    expect(check(source).map(({ code }) => code)).to.deep.equal(['W420'])
  })

  it('is not reported if it is clearly different', () => {
    for (const name of ['healthScore', 'uri', 'ip', 'users.name', 'severity', 'device.ip2', 'device.cos'])
      expect(
        read(`alert.data.${name}`).filter((each) => each.startsWith('W420')),
        name,
      ).to.deep.equal(
        name.startsWith('users') ? ["W420 alert.data lists no field 'users' (did you mean user?)"] : [],
      )
  })

  it('is reported in inputs of a skill', () => {
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
      "W420 'labels.sevrity' is not a listed field (did you mean 'severity'?)",
    ])
    expect(given('colour')).to.deep.equal([])
    expect(given('severity')).to.deep.equal([])
  })
})

describe('a comment that cuts off a value', () => {
  for (const [step, hint] of Object.entries({
    'fail: See ticket #123': 'write "See ticket #123"',
    'fail: Meet in room # 5, please': 'write "Meet in room # 5, please"',
    'fail: Tell "them" (and #soc) now': 'write \'Tell "them" (and #soc) now\'',
    'set: { x: 1 }\n    name: #alerts': 'write "#alerts"',
    'set:\n      x: #alerts': 'write "#alerts"',
    'set:\n      x:\n        - #alerts\n        - b': 'write "#alerts"',
    'fail: ${{ "a # b" }}': 'write \'${{ "a # b" }}\'',
  })) {
    it(`causes a warning: ${step.replaceAll('\n', ' ')}`, () => {
      const found = said(`  - ${step}`).filter((each) => each.startsWith('W421'))
      expect(found).to.have.length(1)
      expect(found[0]).to.contain(`(${hint})`)
    })
  }

  it('is not reported if written like a comment', () => {
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

describe('map keys that are not strings', () => {
  const warned = [
    'W422 the keys of this map become text (write the keys as text: {"1": …}, or {string(x): …})',
  ]

  it('cause a warning wherever they are stored', () => {
    expect(said(`  - return: '\${{ {1: "a"} }}'`)).to.deep.equal(warned)
    expect(said(`  - return: { a: ['\${{ [1, 2].map(k, {k: true}) }}'] }`)).to.deep.equal(warned)
    expect(said(`  - return: 1\noutputs: { q: '\${{ {true: 1} }}' }`)).to.deep.equal(warned)
    expect(
      said(`  - { id: s, set: { m: '\${{ {1: "a"} }}' } }\n  - return: \${{ steps.s.output.m }}`),
    ).to.deep.equal(warned)
  })

  it('are allowed inside an expression', () => {
    expect(said(`  - return: '\${{ {1: "a"}[1] }}'`)).to.deep.equal([])
    expect(said(`  - return: '\${{ {"1": "a"} }}'`)).to.deep.equal([])
  })

  it('may be looked up in an empty map', () => {
    expect(
      said(`  - return: '\${{ 7 in {} || 1.5 in {} }}'`).filter((each) => each.startsWith('E')),
    ).to.deep.equal([])
    expect(said(`  - return: '\${{ 7 in (now > now ? {} : {"1": "a"}) }}'`).join()).to.include('E203')
  })

  it('are strings for later reads', () => {
    const set = `  - { id: s, set: { m: '\${{ {1: "a"} }}' } }\n`
    expect(said(`${set}  - return: '\${{ steps.s.output.m[1] }}'`)).to.deep.equal([
      ...warned,
      'E203 the keys of steps.s.output.m are strings: [int] never matches (write "1")',
    ])
    expect(said(`${set}  - return: '\${{ 1 in steps.s.output.m }}'`)).to.deep.equal([
      ...warned,
      'E203 the keys of steps.s.output.m are strings: int never matches (write "1")',
    ])
    expect(said(`${set}  - return: '\${{ steps.s.output.m["1"] }}'`)).to.deep.equal(warned)
  })
})

describe('the timeout of a repeated group', () => {
  const loops = { foreach: 'foreach: [1, 2]', repeat: 'repeat: { until: now > now, every: 1m, max: 3 }' }

  for (const [name, loop] of Object.entries(loops)) {
    it(`causes a warning with ${name}, because it applies to each round`, () => {
      const step = `  - { ${loop}, timeout: 5m, steps: [{ wait: 10s }] }`
      expect(said(step).filter((each) => !each.startsWith('W424'))).to.deep.equal([
        `W423 with \`${name}\`, this timeout applies ${name === 'repeat' ? 'to each round' : 'to each item'} ` +
          '(to limit all of them together, put it on a group around this step; to limit each, on a group inside)',
      ])
    })
  }

  it('is unambiguous after following the hint', () => {
    expect(said(`  - { timeout: 1h, steps: [{ foreach: [1, 2], steps: [{ wait: 10s }] }] }`)).to.deep.equal(
      [],
    )
    expect(said(`  - { foreach: [1, 2], steps: [{ timeout: 5m, steps: [{ wait: 10s }] }] }`)).to.deep.equal(
      [],
    )
  })

  it('applies to one attempt of a skill', () => {
    expect(
      said('  - { foreach: [1, 2], timeout: 5s, uses: case.update, with: { severity: low } }'),
    ).to.deep.equal([])
  })
})

describe('inputs keyed by answer', () => {
  const ask = (input: string, rest = 'answers: [yes, no]') =>
    said(`  - checkpoint: { via: operator, with: { message: x, ${input} }, ${rest}, timeout: 1h }`)

  it('must name existing answers', () => {
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

describe('a constant condition', () => {
  const status = 'alert: { type: object, required: [s], properties: { s: { enum: [a, b, c] } } }'
  const warned = (outcome: string) =>
    `W424 this condition is ${outcome} true (${outcome === 'always' ? 'leave it out, or correct it' : 'correct it, or leave out what depends on it'})`
  const step = (condition: string, then = 'set: { x: 1 }') => `  - { if: '${condition}', ${then} }`

  it('is reported by itself, and from facts around it', () => {
    expect(said(step('alert.type == "x" && alert.type == "y"'))).to.deep.equal([warned('never')])
    expect(said(step('1 < 2'))).to.deep.equal([warned('always')])
    const inner = `steps: [{ if: 'alert.data.s == "b"', set: { x: 1 } }]`
    expect(said(step('alert.data.s == "a"', inner), status)).to.deep.equal([warned('never')])
    const twice = `  - switch: [{ when: 'alert.data.s == "a"', steps: [{ fail: x }] }, { when: 'alert.data.s == "a"', steps: [{ fail: y }] }]\n    else: [{ fail: z }]`
    expect(said(twice, status)).to.deep.equal([warned('never')])
  })

  it('is not reported for the last of several choices or a check of items', () => {
    const all = ['a', 'b', 'c'].map((s) => `{ when: 'alert.data.s == "${s}"', steps: [{ fail: x }] }`)
    expect(said(`  - switch: [${all.join(', ')}]\n    else: [{ fail: z }]`, status)).to.deep.equal([])
    const loop = `foreach: [a, b], steps: [{ if: 'item == "a"', set: { x: 1 } }]`
    expect(said(step('alert.data.s == "a"', loop), status)).to.deep.equal([])
  })
})

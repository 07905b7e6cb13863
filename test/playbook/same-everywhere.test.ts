import { expect } from 'chai'
import { definePlugin, defineSkill, type JsonSchema } from '../../core/plugin/index.ts'
import { evaluateTemplate } from '../../core/playbook/template/template.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const catalogueWith = (at: JsonSchema) =>
  buildCatalogue([
    definePlugin({
      name: 'clock',
      title: 'Clock',
      description: 'For tests.',
      skills: [
        defineSkill({
          name: 'read',
          title: 'Read',
          description: 'Gives a time.',
          effect: 'read',
          input: { type: 'object', properties: {}, additionalProperties: false },
          output: { type: 'object', required: ['at'], properties: { at } },
          examples: [],
          run: async () => ({ at: null }),
        }),
      ],
    }),
  ])

const callee = {
  file: 'callee.yaml',
  source: `apiVersion: tocsin/v1
name: callee
on: { call: true }
steps:
  - id: s
    set: { at: '\${{ now }}' }
outputs: { kind: called, at: '\${{ steps.s.output.at }}', took: '\${{ now - steps.s.output.at }}' }`,
}

const caller = (expression: string) => ({
  file: 'caller.yaml',
  source: `apiVersion: tocsin/v1
name: caller
on: { manual: true }
steps:
  - { id: c, call: callee }
  - { id: r, uses: clock.read }
  - id: t
    set:
      now: '\${{ now }}'
      window: '\${{ duration("1h") }}'
      age: '\${{ now - steps.c.output.at }}'
      read: '\${{ now - steps.r.output.at }}'
      ago: '\${{ has(steps.c.output.at) ? now : steps.r.output.at }}'
  - { id: own, set: { kind: own, span: '\${{ duration("1h") }}' } }
  - { id: x, set: { o: '\${{ now > timestamp(0) ? steps.own.output : steps.c.output }}' } }
  - return: '\${{ ${expression} }}'`,
})

const steps = {
  c: { output: { at: '2026-01-01T00:00:00Z', took: '5s' } },
  r: { output: { at: '2026-01-01T02:00:00+02:00' } },
  x: { output: { o: { kind: 'own', span: '3600s' } } },
  t: {
    output: {
      now: '2026-01-01T01:00:00Z',
      window: '3600s',
      age: '3600s',
      read: '90s',
      ago: '2026-01-01T01:00:00Z',
    },
  },
}

describe('a playbook', () => {
  /** Checked with or without the called playbook, and with one schema of the skill, another, or none. */
  const results = (expression: string) => {
    const file = caller(expression)
    const catalogue = catalogueWith({ type: 'string', format: 'date-time' })
    const readings = [
      parseTogether([file, callee], { catalogue })[0],
      parseTogether([file, callee], { catalogue: catalogueWith({}) })[0],
      parsePlaybook(file.source, { catalogue }),
      parsePlaybook(file.source, { catalogue: catalogueWith({ type: 'string' }) }),
      parsePlaybook(file.source),
    ]
    return readings.flatMap((reading) => {
      const last = reading?.playbook?.steps.at(-1)
      if (last?.action !== 'return') return []
      try {
        return [evaluateTemplate(last.return, { steps, now: '2026-01-01T01:00:00Z' })]
      } catch (error) {
        return [(error as Error).message]
      }
    })
  }

  for (const [expression, value] of [
    ['now - steps.c.output.at', '3600s'],
    ['now - steps.r.output.at', '3600s'],
    ['steps.c.output.at == steps.r.output.at', true],
    ['steps.c.output.at in [steps.r.output.at]', true],
    ['steps.c.output.at < now', true],
    ['steps.c.output.at - duration("1h")', '2025-12-31T23:00:00Z'],
    ['steps.t.output.now + steps.t.output.window', '2026-01-01T02:00:00Z'],
    ['steps.t.output.age + steps.t.output.window', '7200s'],
    ['steps.t.output.age + steps.t.output.age', '3600s3600s'],
    ['steps.t.output.age + steps.t.output.read', '3600s90s'],
    ['steps.t.output.age > steps.t.output.read', true],
    ['steps.c.output.took < steps.t.output.age', true],
    ['string(steps.t.output.now)', '2026-01-01T01:00:00Z'],
    ['steps.t.output.ago == now', true],
    ['steps.x.output.o.kind == "own" ? steps.x.output.o.span + steps.x.output.o.span : null', '3600s3600s'],
    ['steps.x.output.o.kind == "own" ? now - steps.x.output.o.span : null', '2026-01-01T00:00:00Z'],
  ] as const) {
    it(`evaluates the same with every catalogue: ${expression}`, () => {
      const found = results(expression)
      expect(found.length).to.be.at.least(3)
      for (const each of found) expect(each).to.equal(value)
    })
  }
})

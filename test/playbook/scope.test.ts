import { expect } from 'chai'
import { check, withSteps } from './support.ts'

const enrich = 'uses: intel_provider.get_enrichment, with: { kind: ip, value: abc }'

/** Code and message of the errors; the steps are a list under `steps:`. */
const errors = (steps: string, rest = '') =>
  check(withSteps(steps, rest))
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`)

describe('names visible in expressions', () => {
  it('include the outputs of earlier steps, typed by the schemas of their skills', () => {
    const read = (path: string) =>
      errors(`  - { id: a, ${enrich} }\n  - return: \${{ steps.a.output.${path} }}`)
    expect(read('risk.score + 1')).to.deep.equal([])
    expect(read('risk.scroe')).to.have.lengthOf(1)
    expect(read('tags + 1')).to.have.lengthOf(1)
    expect(read('status == "confirmed"')).to.deep.equal([])
  })

  it('include steps inside an earlier group, and in its branches', () => {
    const steps = `
  - parallel:
      - steps: [{ id: a, set: { x: 1 } }]
      - { id: b, set: { x: 2 } }
  - return: \${{ steps.a.output.x + steps.b.output.x }}`
    expect(errors(steps)).to.deep.equal([])
  })

  it('exclude later steps, parallel siblings, the step itself, enclosing groups, and the body of a foreach', () => {
    const cases = {
      later: '  - return: ${{ steps.a.ok }}\n  - { id: a, set: { x: 1 } }',
      'at the same time':
        '  - parallel:\n      - { id: a, set: { x: 1 } }\n      - return: ${{ steps.a.ok }}',
      itself: '  - { id: a, set: { x: "${{ steps.a.ok }}" } }',
      'inside it': '  - id: a\n    steps:\n      - return: ${{ steps.a.ok }}',
      'for each item of':
        '  - foreach: [1]\n    steps: [{ id: a, set: { x: 1 } }]\n    on_error: [{ fail: x }]\n  - return: ${{ steps.a.ok }}',
      'each item': '  - foreach: [1]\n    steps: [{ id: a, set: { x: 1 } }]\n  - return: ${{ steps.a.ok }}',
    }
    for (const [reason, steps] of Object.entries(cases)) {
      const [error, ...others] = errors(steps)
      expect(others, reason).to.deep.equal([])
      expect(error).to.match(/^E303 /)
      expect(error).to.include(reason)
    }
    expect(errors('  - return: ${{ steps.nobody.ok }}')).to.deep.equal(["E302 unknown step 'nobody'"])
  })

  it('include the outputs of completed items and the errors of failed ones', () => {
    const read = (expression: string) =>
      check(
        withSteps(
          `  - { id: f, foreach: [1], on_item_error: continue, set: { v: "\${{ item }}" } }\n  - return: '\${{ steps.f.items.${expression} }}'`,
        ),
      ).map(({ code }) => code)
    for (const expression of [
      'filter(i, i.status == "completed").map(i, i.output.v)',
      'filter(i, !(i.status != "completed")).map(i, i.output.v + i.index)',
      'filter(i, has(i.output)).map(i, i.output.v)',
      'filter(i, i.status == "failed").map(i, i.error.code)',
      'map(i, i.status == "completed" ? string(i.output.v) : i.status)',
      'filter(i, i.status in ["completed"]).map(i, i.output.v)',
      'filter(i, i.status == "completed").map(i, i.?error.code.orValue("none"))',
      'exists(i, i.status == "failed")',
    ])
      expect(read(expression), expression).to.deep.equal([])
    expect(read('map(i, i.output.v)')).to.deep.equal(['E206'])
    expect(read('filter(i, i.status == "failed").map(i, i.output.v)')).to.deep.equal(['E206'])
    expect(read('filter(i, i.status != "skipped").map(i, i.output.v)')).to.deep.equal(['E206'])
    expect(read('filter(i, i.status == "complete")')).to.deep.equal(['E202'])
    expect(read('map(i, i.result)')).to.deep.equal(['E205'])
  })

  it('include an input with an enumeration of times as a time or a string', () => {
    const read = (expression: string) =>
      errors(
        `  - return: '\${{ ${expression} }}'`,
        'inputs: { within: { type: duration, enum: [30m, 1h], default: 30m } }',
      )
    expect(read('now - inputs.within')).to.deep.equal([])
    expect(read('inputs.within == "30m"')).to.deep.equal([])
    expect(read('inputs.within == "20m"')).to.have.length(1)
    expect(
      errors('  - wait: ${{ inputs.w }}', 'inputs: { w: { type: duration, enum: [30m], default: 30m } }'),
    ).to.deep.equal([])
  })

  it('include an output wherever the step has certainly completed', () => {
    const read = (condition: string) =>
      errors(
        `  - { id: a, if: run.dry_run, ${enrich} }\n  - if: '${condition}'\n    fail: \${{ steps.a.output.status }}`,
      )
    for (const condition of [
      'steps.a.status == "completed"',
      '!(steps.a.status != "completed")',
      'steps.a.ok',
      'steps.a.status in ["completed"]',
      'steps.a.status != "failed" && steps.a.status != "skipped"',
    ])
      expect(read(condition), condition).to.deep.equal([])
    expect(read('steps.a.status != "completed"')).to.have.length(1)
    expect(read('steps.a.status != "failed"')).to.have.length(1)
    expect(read('steps.a.status == "failed"')).to.have.length(1)
    const ended =
      '  - switch: [{ when: steps.a.status == "skipped", steps: [{ fail: x }] }, { when: steps.a.status == "failed", steps: [{ fail: y }] }]\n    else: [{ wait: 1s }]\n'
    const after = (between: string) =>
      errors(
        `  - { id: a, if: run.dry_run, ${enrich}, on_error: continue }\n${between}  - fail: \${{ steps.a.output.status }}`,
      )
    expect(after(ended)).to.deep.equal([])
    expect(after('')).to.have.length(1)
  })

  it('include facts from the condition of a repeat', () => {
    const read = (rest: string, around = '') =>
      errors(
        `  - { id: r, ${around} repeat: { until: steps.a.ok, every: 1m, max: 2 }, steps: [{ id: a, ${enrich}, on_error: continue }]${rest} }\n  - fail: \${{ steps.a.output.status }}`,
      )
    expect(read('')).to.deep.equal([])
    expect(read(', on_error: [{ fail: x }]')).to.deep.equal([])
    expect(read(', on_error: continue')).to.have.length(1)
    expect(read(', on_error: [{ fail: "${{ steps.a.output.status }}" }]')).to.have.length(1)
    expect(read('', 'if: run.dry_run,')).to.have.length(1)
    expect(read('', 'foreach: [1],')).not.to.deep.equal([])
  })

  it('include the error of a step that has certainly failed', () => {
    const read = (expression: string) =>
      errors(`  - { id: a, ${enrich}, on_error: continue }\n  - fail: '\${{ ${expression} }}'`)
    expect(read('steps.a.status == "failed" ? steps.a.error.message : ""')).to.deep.equal([])
    expect(read('steps.a.status != "completed" ? steps.a.error.message : ""')).to.have.length(1)
    expect(read('steps.a.status == "failed" ? steps.a.error.hint : ""')).to.have.length(1)
  })

  it('include the inner item, without facts about the outer item', () => {
    const row = (inner: string) =>
      `{ type: object, required: [list], properties: { x: { type: string }, list: { type: array, items: ${inner} } } }`
    const codes = (condition: string, read: string) =>
      check(
        withSteps(
          `  - foreach: \${{ alert.data }}\n    steps:\n      - { if: '${condition}', foreach: "\${{ item.list }}", steps: [{ fail: "\${{ ${read} }}" }] }`,
          `alert: { type: array, items: ${row(row(row('{}')))} }`,
        ),
      ).map(({ code, message }) => `${code} ${message}`)
    // A warning, because earlier versions accepted it and waiting runs may use it.
    expect(codes('has(item.x)', 'item.x')).to.deep.equal(['W410 item.x may be missing'])
    expect(codes('has(item.list[index].x)', 'item.list[index].x')).to.deep.equal([
      'W410 item.list[index].x may be missing',
    ])
    expect(codes('has(item.x)', 'has(item.x) ? item.x : string(index)')).to.deep.equal([])
    expect(codes('has(item.x)', 'item.z')).to.deep.equal(["E205 item has no field 'z'"])
  })

  it('include an optional output of a step that may not have run', () => {
    const unsafe = {
      'behind an if': `  - { id: a, if: run.dry_run, ${enrich} }`,
      'inside a group behind an if': `  - { if: run.dry_run, steps: [{ id: a, ${enrich} }] }`,
      'with on_error: continue': `  - { id: a, ${enrich}, on_error: continue }`,
      'inside a group with on_error': `  - { steps: [{ id: a, ${enrich} }], on_error: continue }`,
      'inside a case': `  - { switch: [{ when: run.dry_run, steps: [{ id: a, ${enrich} }] }], else: [{ set: { y: 1 } }] }`,
      'inside on_error': `  - { set: { y: 1 }, on_error: [{ id: a, ${enrich} }] }`,
    }
    for (const [where, step] of Object.entries(unsafe)) {
      const [error, ...others] = errors(`${step}\n  - return: \${{ steps.a.output.status }}`)
      expect(error, where).to.match(/^E206 /)
      expect(others).to.deep.equal([])
      const guards = [
        'has(steps.a.output) ? steps.a.output.status : ""',
        'steps.a.?output.status.orValue("pending")',
      ]
      for (const guard of guards)
        expect(errors(`${step}\n  - return: '\${{ ${guard} }}'`), where).to.deep.equal([])
      expect(
        errors(`${step}\n  - { if: has(steps.a.output), return: "\${{ steps.a.output.status }}" }`),
      ).to.deep.equal([])
    }
  })

  it('are not optional with a default, or after a return if the value was missing', () => {
    const defaulted = `  - { id: a, if: run.dry_run, uses: travel.search_user_travel, with: { email: x }, default: { trips: [] } }`
    expect(errors(`${defaulted}\n  - return: \${{ steps.a.output.trips.size() }}`)).to.deep.equal([])
    const step = `  - { id: a, if: run.dry_run, ${enrich} }\n  - { if: "!has(steps.a.output)", return: none }`
    expect(errors(`${step}\n  - return: \${{ steps.a.output.status }}`)).to.deep.equal([])
  })

  it('are not optional after an on_error that ends the run, but after others', () => {
    const read = '\n  - return: ${{ steps.a.output.status }}'
    const after = (onError: string) => errors(`  - { id: a, ${enrich}, on_error: ${onError} }${read}`)
    expect(after('[{ fail: gone }]')).to.deep.equal([])
    expect(after('[{ set: { x: 1 } }, { return: 1 }]')).to.deep.equal([])
    expect(after('[{ steps: [{ fail: gone }], on_error: [{ return: 1 }] }]')).to.deep.equal([])
    expect(after('[{ if: run.dry_run, fail: gone }]')).to.have.lengthOf(1)
    expect(after('[{ steps: [{ fail: gone }], on_error: continue }]')).to.have.lengthOf(1)
    expect(after('[{ foreach: [1], steps: [{ fail: gone }] }]')).to.have.lengthOf(1)
    expect(errors(`  - { steps: [{ id: a, ${enrich} }], on_error: [{ fail: x }] }${read}`)).to.deep.equal([])
    expect(
      errors(`  - { if: run.dry_run, id: a, ${enrich}, on_error: [{ fail: x }] }${read}`),
    ).to.have.lengthOf(1)
  })

  it('include facts after a conditional step that ends the run', () => {
    const owner = '\n  - return: ${{ steps.a.output.owner.lowerAscii() }}'
    const after = (step: string) => errors(`  - { id: a, ${enrich} }\n  - ${step}${owner}`)
    const isNull = 'steps.a.output.owner == null'
    const end = '[{ set: { x: 1 } }, { return: 1 }]'
    const narrowing = {
      'a group behind an if': `{ if: ${isNull}, steps: ${end} }`,
      'an if in a group': `{ steps: [{ if: ${isNull}, return: 1 }] }`,
      'an if in a branch': `{ parallel: [{ if: ${isNull}, return: 1 }, { set: { x: 1 } }] }`,
      'a case': `{ switch: [{ when: ${isNull}, steps: ${end} }] }`,
      'the first of two cases': `{ switch: [{ when: ${isNull}, steps: ${end} }, { when: run.dry_run, steps: [{ set: { x: 1 } }] }] }`,
      'an else': `{ switch: [{ when: steps.a.output.owner != null, steps: [{ set: { x: 1 } }] }], else: ${end} }`,
      'an if in each passable case': `{ switch: [{ when: run.dry_run, steps: [{ fail: x }] }], else: [{ if: ${isNull}, fail: x }] }`,
    }
    for (const [what, step] of Object.entries(narrowing)) expect(after(step), what).to.deep.equal([])
    const useless = {
      'a group that goes on': `{ if: ${isNull}, steps: [{ set: { x: 1 } }] }`,
      'a group whose failure does not matter': `{ if: ${isNull}, steps: [{ fail: x }], on_error: continue }`,
      'a foreach, which may be empty': `{ if: ${isNull}, foreach: [1], steps: [{ return: 1 }] }`,
      'an if in a group behind an if': `{ if: run.dry_run, steps: [{ if: ${isNull}, return: 1 }] }`,
      'a case that goes on': `{ switch: [{ when: ${isNull}, steps: [{ set: { x: 1 } }] }] }`,
      'a case behind one that goes on': `{ switch: [{ when: run.dry_run, steps: [{ set: { x: 1 } }] }, { when: ${isNull}, steps: ${end} }] }`,
    }
    for (const [what, step] of Object.entries(useless)) expect(after(step), what).to.have.lengthOf(1)
  })

  it('include the steps of the only case that does not end the run', () => {
    const step = (other: string) => `
  - switch: [{ when: run.dry_run, steps: [${other}] }]
    else: [{ id: a, ${enrich} }]
  - return: \${{ steps.a.output.status }}`
    expect(errors(step('{ return: 1 }'))).to.deep.equal([])
    expect(errors(step('{ set: { x: 1 } }'))).to.have.lengthOf(1)
  })

  it('are narrowed by the cases of a switch, and in its else', () => {
    const steps = `
  - { id: a, ${enrich} }
  - switch:
      - when: steps.a.output.owner == null
        steps: [{ fail: nobody }]
      - when: steps.a.output.owner.size() > 3
        steps: [{ return: "\${{ steps.a.output.owner.lowerAscii() }}" }]
    else:
      - return: \${{ steps.a.output.owner.upperAscii() }}`
    expect(errors(steps)).to.deep.equal([])
  })

  it('include the item, named by `as`, and its index in the body of a foreach', () => {
    const list = '  - { id: a, uses: travel.search_user_travel, with: { email: x } }\n'
    const body = (keys: string, expression: string) =>
      errors(
        `${list}  - { foreach: "\${{ steps.a.output.trips }}", ${keys}set: { x: "\${{ ${expression} }}" } }`,
      )
    expect(body('', 'item.country + string(index)')).to.deep.equal([])
    expect(body('as: trip, ', 'trip.country')).to.deep.equal([])
    expect(body('as: trip, ', 'item.country')).to.have.lengthOf(1)
    expect(body('', 'item.nothing')).to.have.lengthOf(1)
    expect(body('as: steps, ', '1')).to.deep.equal(["E107 'steps' is reserved in expressions"])
    expect(errors('  - { foreach: [1], if: "item == 1", set: { x: 1 } }')).to.have.lengthOf(1)
  })

  it('exclude the item in the condition of its foreach, with a hint to filter the list', () => {
    const steps = `  - { id: a, ${enrich} }
  - { foreach: "\${{ [steps.a.output] }}", if: item.owner != null, set: { x: "\${{ item.owner.size() }}" } }`
    const [problem, ...others] = check(withSteps(steps)).filter(({ severity }) => severity === 'error')
    expect(others).to.deep.equal([])
    expect(problem).to.include({ code: 'E204' })
    expect(problem?.hint).to.include('evaluated once, before the loop')
    expect(problem?.hint).to.include('list.filter(item, item.owner != null)')
  })

  it('include a list of outputs after a foreach, with the status of each item', () => {
    const loop = `  - { id: a, foreach: [1, 2], ${enrich} }\n`
    expect(errors(`${loop}  - return: \${{ steps.a.output.map(o, o.risk.score) }}`)).to.deep.equal([])
    expect(errors(`${loop}  - return: \${{ steps.a.output.risk }}`)).to.have.lengthOf(1)
    const failed = '${{ steps.a.?items.orValue([]).exists(i, i.status == "failed") }}'
    expect(errors(`${loop}  - return: '${failed}'`)).to.deep.equal([])
  })

  it('include the error in on_error, and nowhere else', () => {
    const handled = `  - { ${enrich}, on_error: [{ fail: "\${{ error.code }}: \${{ error.message }}" }] }`
    expect(errors(handled)).to.deep.equal([])
    expect(errors('  - fail: "${{ error.code }}"')).to.have.lengthOf(1)
  })

  it('include all steps that may have run in finally, and all that have run in outputs', () => {
    const steps = `  - { id: a, ${enrich} }`
    expect(errors(steps, 'outputs: { status: "${{ steps.a.output.status }}" }')).to.deep.equal([])
    const [error] = errors(steps, 'finally: [{ set: { x: "${{ steps.a.output.status }}" } }]')
    expect(error).to.match(/^E206 /)
    expect(errors(steps, 'finally: [{ set: { x: "${{ steps.a.ok }} ${{ run.status }}" } }]')).to.deep.equal(
      [],
    )
  })

  it('exclude the alert if no alert triggers the playbook', () => {
    const source =
      'apiVersion: tocsin/v1\nname: x\non: { manual: true }\nsteps: [{ return: "${{ alert.id }}" }]'
    expect(check(source).map(({ code, hint }) => [code, hint])).to.deep.equal([
      ['E204', 'it exists where `on` has `alert`'],
    ])
  })

  it('include only the alert and the organization in on.alert.where', () => {
    const where = (expression: string) =>
      check(
        `apiVersion: tocsin/v1\nname: x\non: { alert: { type: t, where: '${expression}' } }\nsteps: [{ id: a, return: 1 }]`,
      ).map(({ code }) => code)
    expect(where('alert.data.risk > 5 && alert.provider != organization.code')).to.deep.equal([])
    expect(where('run.dry_run')).to.deep.equal(['E204'])
    expect(where('steps.a.ok')).to.deep.equal(['E204'])
    expect(where('alert.id')).to.deep.equal(['E210'])
  })
})

import { expect } from 'chai'
import { check, marked, withSteps } from './support.ts'

/** Codes with the marked text, for a step that calls the skill with these inputs. */
function wrong(inputs: string, skill = 'intel_provider.get_enrichment'): readonly string[] {
  const before = '  - { id: a, uses: travel.search_user_travel, with: { email: x } }'
  const source = withSteps(
    `${before}\n  - set: { x: "\${{ steps.a.ok }}" }\n  - uses: ${skill}\n    with: ${inputs}`,
  )
  return check(source)
    .filter(({ severity }) => severity === 'error')
    .map((problem) => `${problem.code} ${marked(source, problem)}`)
}

describe('the inputs of a skill', () => {
  it('may be literals and expressions of the right type', () => {
    expect(
      wrong('{ kind: ip, value: 192.0.2.1, limit: 5, filter: { tags: [a, "${{ run.id }}"] } }'),
    ).to.deep.equal([])
    expect(wrong('{ kind: "${{ alert.data.kind }}", value: "${{ run.url }}" }')).to.deep.equal([])
    expect(
      wrong('{ kind: ip, value: "at ${{ run.started_at }} of ${{ steps.a.output.trips.size() }}" }'),
    ).to.deep.equal([])
  })

  it('are reported if unknown or missing, also in nested maps', () => {
    expect(wrong('{ kind: ip, value: abc, colour: red }')).to.deep.equal(['E305 colour'])
    expect(wrong('{ kind: ip }')).to.deep.equal(['E306 intel_provider.get_enrichment'])
    expect(wrong('{ kind: ip, value: abc, filter: { since: x } }')).to.deep.equal(['E307 filter'])
    expect(wrong('{ kind: ip, value: abc, filter: { tags: [], until: x } }')).to.deep.equal(['E307 until'])
  })

  it('are reported if a literal has the wrong type or violates the schema', () => {
    expect(wrong('{ kind: ip, value: 5 }')).to.deep.equal(['E307 5'])
    expect(wrong('{ kind: hash, value: abc }')).to.deep.equal(['E202 hash'])
    expect(wrong('{ kind: ip, value: ab }')).to.deep.equal(['E307 ab'])
    expect(wrong('{ kind: ip, value: abc, limit: 500 }')).to.deep.equal(['E307 500'])
    expect(wrong('{ kind: ip, value: abc, limit: 1.5 }')).to.deep.equal(['E307 1.5'])
    expect(wrong('{ kind: ip, value: abc, filter: { tags: [a, 5] } }')).to.deep.equal(['E307 5'])
    expect(wrong('{ kind: ip, value: null }')).to.deep.equal(['E307 null'])
  })

  it('explain a pattern in words', () => {
    const source = withSteps('  - { uses: intel_provider.get_enrichment, with: { kind: ip, value: a b c } }')
    expect(check(source).map(({ message }) => message)).to.deep.equal(['value: must have no spaces'])
  })

  it('are reported if an expression cannot have the right type', () => {
    expect(wrong('{ kind: ip, value: "${{ steps.a.output.trips }}" }')).to.deep.equal([
      'E307 "${{ steps.a.output.trips }}"',
    ])
    expect(wrong('{ kind: "${{ run.id }}", value: abc }')).to.deep.equal(['E307 "${{ run.id }}"'])
    expect(wrong('{ kind: ip, value: abc, limit: "${{ run.id }}" }')).to.deep.equal(['E307 "${{ run.id }}"'])
    expect(wrong('{ kind: ip, value: "${{ alert.?data }}" }')).to.deep.equal(['E206 "${{ alert.?data }}"'])
    expect(wrong('{ kind: ip, value: "${{ run.dry_run ? null : run.id }}" }')).to.deep.equal([
      'E207 "${{ run.dry_run ? null : run.id }}"',
    ])
  })

  it('may be left out if none is required', () => {
    expect(wrong('{}', 'case.update')).to.deep.equal([])
    expect(check(withSteps('  - uses: case.update'))).to.deep.equal([])
    expect(wrong('[a]', 'case.update')).to.deep.equal(['E106 [a]'])
    expect(wrong('', 'case.update')).to.deep.equal(['E106 with'])
  })
})

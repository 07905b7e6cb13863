import { expect } from 'chai'
import { inspectPlaybook } from '../../core/editor/inspection.ts'
import { definitionAt, renameStep, stepNameAt } from '../../core/editor/steps.ts'
import { guide, offsetIn, playbook } from './support/guide.ts'

const source = playbook(`  - id: found
    set:
      x: \${{ steps.intel.output.tags + steps["intel"].output.tags }}
      y: 'a \${{ steps.intel.status }} \${{ ["x"].map(steps, steps).size() }}'
  - if: steps.intel.ok && steps.found.ok
    uses: case.update
    with: { summary: "\${{ steps.in‸tel.status }}" }`)

const { text, offset } = offsetIn(source)
const inspection = inspectPlaybook(text, guide.catalogue)

describe('steps in an editor', () => {
  it('goes from a read of a step to its id', () => {
    const span = definitionAt(inspection, offset)
    expect(span && text.slice(span.start - 4, span.end)).to.equal('id: intel')
  })

  it('goes from a state that a step names or reads to its declaration', () => {
    const body = "  - state: { add: seen, key: '${{ string(state.total) }}' }"
    const written = playbook(body, 'state: { seen: { kind: set }, total: { kind: counter } }\n')
    const inspected = inspectPlaybook(written, guide.catalogue)
    const from = (words: string) => definitionAt(inspected, written.indexOf(words) + words.length - 1)?.start
    expect(from('add: seen')).to.equal(written.indexOf('seen: { kind'))
    expect(from('state.total')).to.equal(written.indexOf('total: { kind'))
  })

  it('goes nowhere from other places', () => {
    for (const words of ['intel_provider', 'case.update', 'tocsin/v1']) {
      expect(definitionAt(inspection, text.indexOf(words) + 2), words).to.equal(undefined)
    }
  })

  it('renames a step and all its reads, from each of these places', () => {
    const places = [...text.matchAll(/(?<=id: |steps\.|steps\[")intel(?=\b)/g)].map(({ index }) => index)
    expect(places).to.have.length(6)
    for (const place of places) {
      const spans = renameStep(inspection, place + 1, 'lookup')
      expect(spans?.map(({ start }) => start).toSorted((a, b) => a - b)).to.deep.equal(places)
      const renamed = text.replaceAll(/(?<=id: |steps\.|steps\[")intel(?=\b)/g, 'lookup')
      expect(
        inspectPlaybook(renamed, guide.catalogue).problems.filter(({ severity }) => severity === 'error'),
      ).to.deep.equal([])
    }
  })

  it('refuses invalid and duplicate ids', () => {
    for (const name of ['found', 'Intel', 'a b', ''])
      expect(renameStep(inspection, offset, name), name).to.equal(undefined)
    expect(renameStep(inspection, 0, 'lookup')).to.equal(undefined)
  })

  it('shows the step before renaming', () => {
    expect(stepNameAt(inspection, offset)?.id).to.equal('intel')
    expect(stepNameAt(inspection, text.indexOf('id: found') + 5)?.id).to.equal('found')
  })
})

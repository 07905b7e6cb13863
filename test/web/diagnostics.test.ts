import { expect } from 'chai'
import { Text } from '@codemirror/state'
import { diagnosticsOf, textOffset } from '../../server/web/playbooks/editor/places.ts'

const text = Text.of(['name: hello', 'steps: []'])
const problem = {
  code: 'E1',
  severity: 'error',
  message: 'no',
  line: 2,
  column: 1,
  end_line: 2,
  end_column: 6,
} as const

describe('problems in the editor', () => {
  it('are at the position from the API', () => {
    const [marked] = diagnosticsOf(text, [{ ...problem, hint: 'do this' }])
    expect(text.sliceString(marked?.from ?? 0, marked?.to)).to.equal('steps')
    expect(marked).to.include({ severity: 'error', source: 'E1', message: 'no\ndo this' })
  })

  it('stay within a newer text', () => {
    expect(textOffset(text, 9, 9)).to.equal(text.length)
    expect(textOffset(text, 1, 99)).to.equal(11)
    const [marked] = diagnosticsOf(text, [{ ...problem, end_line: 1, end_column: 1 }])
    expect(marked?.to).to.equal(marked?.from)
  })
})

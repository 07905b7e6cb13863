import { expect } from 'chai'
import { skeletonOf } from '../../server/web/runs/skeleton.ts'

describe('web: skeleton of an output', () => {
  it('has all that is required, and nothing else', () => {
    const schema = {
      type: 'object',
      required: ['id', 'state', 'tags', 'owner', 'score', 'kind'],
      properties: {
        id: { type: 'string' },
        state: { enum: ['queued', 'done'] },
        tags: { type: 'array' },
        owner: { type: ['object', 'null'], required: ['name'], properties: { name: { type: 'string' } } },
        score: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        kind: { const: 'scan' },
        note: { type: 'string' },
      },
    } as const
    expect(skeletonOf(schema)).to.deep.equal({
      id: '',
      state: 'queued',
      tags: [],
      owner: { name: '' },
      score: 0,
      kind: 'scan',
    })
  })

  it('is an empty object where nothing is said', () => {
    expect(skeletonOf({})).to.deep.equal({})
  })
})

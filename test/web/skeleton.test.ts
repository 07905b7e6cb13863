import { expect } from 'chai'
import { skeletonText } from '../../server/web/runs/waterfall/skeleton.ts'

describe('web: skeleton of an output', () => {
  it('has all that is required, and nothing else, and stands for no value that nobody entered', () => {
    const schema = {
      type: 'object',
      required: ['id', 'state', 'tags', 'owner', 'score', 'kind', 'headers', 'done'],
      properties: {
        id: { type: 'string' },
        state: { type: 'string', enum: ['queued', 'done'] },
        tags: { type: 'array' },
        owner: { type: ['object', 'null'], required: ['name'], properties: { name: { type: 'string' } } },
        score: { type: ['number', 'null'] },
        kind: { const: 'scan' },
        headers: { type: 'object' },
        done: { type: 'boolean' },
        note: { type: 'string' },
      },
    } as const
    expect(skeletonText(schema)).to.equal(`{
  "id": …,
  "state": …,
  "tags": …,
  "owner": {
    "name": …
  },
  "score": …,
  "kind": "scan",
  "headers": …,
  "done": …
}`)
  })

  it('is an empty object where nothing is said', () => {
    expect(skeletonText({})).to.equal('{}')
    expect(skeletonText({ type: 'object' })).to.equal('{}')
  })
})

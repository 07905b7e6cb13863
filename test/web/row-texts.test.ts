import { expect } from 'chai'
import { rowTexts } from '../../server/web/runs/list/row-texts.ts'

describe('a row of the timeline', () => {
  it('names a step as its author did, with what it does beside it', () => {
    expect(rowTexts({ path: 'synced[0]/known', kind: 'case.find' })).to.deep.equal({
      name: 'synced[0]/known',
      about: 'case.find',
    })
  })

  it('names a step without a name by what it does, with its place beside it', () => {
    expect(rowTexts({ path: '2', kind: 'fail' })).to.deep.equal({ name: 'fail', about: '2' })
    expect(rowTexts({ path: 'outcome/else/1[3]#2', kind: 'case.update' })).to.deep.equal({
      name: 'case.update',
      about: 'outcome/else/1[3]#2',
    })
    expect(rowTexts({ path: 'outcome/0/isolate', kind: 'call' }).name).to.equal('outcome/0/isolate')
  })

  it('shows the end of a long path', () => {
    expect(rowTexts({ path: 'a/b/c/d', kind: 'set' }).name).to.equal('…/c/d')
  })
})

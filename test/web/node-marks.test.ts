import { expect } from 'chai'
import { nodeMarks, nodeOf, shownAt } from '../../server/web/runs/waterfall/node-marks.ts'
import { step } from './step.ts'

describe('marks of the graph of a run', () => {
  it('finds the node of items, times and parts of steps', () => {
    expect(nodeOf('ask[3]/owner#2/@settle')).to.equal('ask/owner')
    expect(nodeOf('@finally/0')).to.equal('@finally/0')
    expect(nodeOf('a/@on_error/b')).to.equal('a/@on_error/b')
    expect(nodeOf('@on_run_error/tell')).to.equal('@on_error/tell')
  })

  it('shows the worst of what ran several times, and the time of all', () => {
    const steps = [
      step('each[0]'),
      step('each[1]', { state: 'failed', ended_at: 4_500 }),
      step('each[0]/@ask'),
    ]
    expect(nodeMarks(steps).get('each')).to.deep.equal({ state: 'failed', count: 2, took: '3.5 s' })
  })

  it('counts every item and every time, and not the line of the whole', () => {
    const paths = [
      'each[0]',
      'each[1]',
      'each[2]',
      'each',
      'poll#1/ask',
      'poll#1',
      'poll#2/ask',
      'poll#2',
      'poll',
      'both[0]#1',
      'both[0]#2',
      'both[0]',
      'both[1]#1',
      'both[1]',
      'both',
      'none',
    ]
    const marks = nodeMarks(paths.map((path) => step(path)))
    const count = (id: string) => marks.get(id)?.count
    expect(['each', 'poll', 'poll/ask', 'both', 'none'].map(count)).to.deep.equal([3, 2, 2, 3, 1])
  })

  it('marks the groups around what ran as passed, and not what did not run', () => {
    const marks = nodeMarks([step('a/0/b')])
    expect(marks.get('a')?.state).to.equal('passed')
    expect(marks.get('a/@join')?.state).to.equal('passed')
    expect(marks.get('@start')?.state).to.equal('passed')
    expect([...marks.keys()]).not.to.include.members(['@end', 'a/1'])
  })

  it('keeps what is known of a group itself', () => {
    expect(nodeMarks([step('a/b'), step('a', { state: 'failed' })]).get('a')?.state).to.equal('failed')
    expect(nodeMarks([step('a', { state: 'failed' }), step('a/b')]).get('a')?.state).to.equal('failed')
  })

  it('shows a step of a called playbook at its call', () => {
    expect(shownAt('group/call/x/y', new Set(['group', 'group/call']))).to.equal('group/call')
    expect(shownAt('other', new Set(['group']))).to.equal(undefined)
  })
})

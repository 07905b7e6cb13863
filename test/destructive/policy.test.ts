import { expect } from 'chai'
import { limitOf, serverLimits, wouldAsk } from '../../core/destructive/policy.ts'
import { ruleOf } from '../support/approval-rule.ts'
import { catalogue } from '../playbook/support.ts'

describe('limits for destructive actions', () => {
  it('come from the organization, or else from the server', () => {
    const server = serverLimits({ blocking: 50 })
    expect(limitOf(server, { containment: 0 }, 'containment')).to.equal(0)
    expect(limitOf(server, { containment: 0 }, 'blocking')).to.equal(50)
    expect(limitOf(server, undefined, 'deletion')).to.equal(10)
  })

  it('tell per class which actions of a dry run would wait', () => {
    const blocks = (count: number) => Array<string>(count).fill('edr.block')
    expect(wouldAsk(blocks(30), catalogue)).to.deep.equal([
      'would ask for approval: 30 blocking actions, limit 10 per hour',
    ])
    expect(wouldAsk([...blocks(10), ...Array<string>(10).fill('edr.isolate')], catalogue)).to.deep.equal([])
    expect(wouldAsk(blocks(30), catalogue, { limits: serverLimits({ blocking: 30 }) })).to.deep.equal([])
    expect(wouldAsk(Array<string>(30).fill('case.update'), catalogue)).to.deep.equal([])
  })

  it('tell which rule would require approvals in a dry run', () => {
    const rules = [
      ruleOf({
        name: 'Two for high',
        approvals: 2,
        match: { classes: ['containment'], severityAtLeast: 'high' },
      }),
      ruleOf({ match: { playbooks: ['block'] } }),
    ]
    const skills = ['edr.isolate', 'case.update', 'edr.block', 'edr.block']
    expect(wouldAsk(skills, catalogue, { rules, playbook: 'block', severity: 'high' })).to.deep.equal([
      'would ask for 2 approvals by different people: 1 containment action of edr.isolate, approval rule 1 (Two for high)',
      'would ask for 1 approval: 2 blocking actions of edr.block, approval rule 2',
    ])
    expect(wouldAsk(skills, catalogue, { rules, playbook: 'other' })).to.deep.equal([])
  })
})

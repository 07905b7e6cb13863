import { expect } from 'chai'
import { inputText, actionTarget } from '../../core/case/action-input.ts'
import { actionOf, actionText } from '../../core/case/actions.ts'
import type { JournalEntry } from '../../core/domain/run.ts'

const machine = { id: 'a-9', machineId: '1f2e', computerDnsName: 'desk-7' }
const run_uuid = '00000000-0000-4000-8000-000000000000'

const entry: JournalEntry = {
  path: 'isolate',
  stepId: 'isolate',
  kind: 'edr.isolate_machine',
  state: 'completed',
  input: { id: '1f2e', comment: `Tocsin run ${run_uuid}` },
  output: { action: { ...machine, status: 'Pending' } },
  error: null,
  attempt: 1,
  startedAt: 0,
  endedAt: 1,
}

const acted = (changes: Partial<JournalEntry>) =>
  actionOf(
    {
      run: { uuid: run_uuid, playbookName: 'malware' },
      entry: { ...entry, ...changes },
      changedNothing: false,
      answered: [],
    },
    1,
  )

describe('the target of an action', () => {
  it('is an id in the input, with the name that the output has beside it', () => {
    expect(actionTarget({ id: '1f2e' }, { action: machine })).to.deep.equal({ id: '1f2e', name: 'desk-7' })
    expect(actionTarget({ comment: 'x', machine_id: '1f2e' }, { all: [{ x: 1 }, machine] })).to.deep.equal({
      id: '1f2e',
      name: 'desk-7',
    })
    const user = { id: 'u-1', userPrincipalName: 'kim@example.com', displayName: 'Kim' }
    expect(actionTarget({ userId: 'u-1' }, { user })).to.deep.equal({ id: 'u-1', name: 'kim@example.com' })
  })

  it('is unknown if the output does not name the id', () => {
    for (const output of [
      null,
      undefined,
      'desk-7',
      {},
      { action: { ...machine, machineId: 'other' } },
      { action: { ...machine, computerDnsName: null } },
      { action: { ...machine, computerDnsName: '' } },
      { action: { ...machine, computerDnsName: '1f2e' } },
      { action: ['1f2e', 'desk-7'] },
      { a: { b: { c: { d: machine } } } },
    ])
      expect(actionTarget({ id: '1f2e' }, output)).to.equal(undefined)
    expect(actionTarget(null, machine)).to.equal(undefined)
    expect(actionTarget({ id: '' }, { id: '', name: 'x' })).to.equal(undefined)
    expect(actionTarget({ comment: '1f2e' }, { action: machine })).to.equal(undefined)
  })

  it('has a short name whatever the other system answers', () => {
    const { name } = actionTarget({ id: 'x' }, { id: 'x', name: 'y'.repeat(5_000) })!
    expect(name).to.equal('y'.repeat(200))
  })

  it('never has a sensitive value', () => {
    expect(acted({}).target).to.deep.equal({ id: '1f2e', name: 'desk-7' })
    expect(acted({ sensitive: { input: { fields: { id: true } } } }).target).to.equal(undefined)
    const hidden = { fields: { action: { fields: { computerDnsName: true } } } } as const
    expect(actionText(acted({ sensitive: { output: hidden } }))).to.not.include('desk-7')
    expect(acted({ sensitive: { output: true } }).target).to.equal(undefined)
  })
})

describe('the input of an action', () => {
  it('has the name beside the id, and no comment that only names the run', () => {
    expect(actionText(acted({}))).to.equal(
      'Action: edr.isolate_machine accepted (status Pending), with id: 1f2e (desk-7)',
    )
    expect(actionText(acted({ output: null, state: 'started', endedAt: null }))).to.match(
      /unknown outcome: it may have taken effect, with id: 1f2e$/,
    )
  })

  it('keeps every other comment', () => {
    const said = (comment: string) => inputText({ input: { id: '1f2e', comment }, run_uuid })
    expect(said(`Tocsin run ${run_uuid}`)).to.equal('id: 1f2e')
    for (const comment of ['miner', `Tocsin run ${run_uuid}: miner`, 'Tocsin run other', run_uuid])
      expect(said(comment)).to.equal(`id: 1f2e, comment: ${comment}`)
  })

  it('names a machine that the playbook found', () => {
    const found = { id: 'm-1', name: 'desk-7', os: 'Windows', connection: null }
    expect(inputText({ input: { machine: found }, run_uuid })).to.equal('machine: m-1 (desk-7)')
    expect(inputText({ input: { machine: { id: 'm-1' } }, run_uuid })).to.equal('machine: {"id":"m-1"}')
    expect(inputText({ input: { ids: ['m-1'], wait_seconds: 0 }, run_uuid })).to.equal(
      'ids: ["m-1"], wait_seconds: 0',
    )
    expect(inputText({ input: null, run_uuid })).to.equal('')
  })
})

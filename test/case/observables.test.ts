import { expect } from 'chai'
import { observablesOf, type CaseJournal } from '../../core/case/observables.ts'
import type { JournalEntry } from '../../core/domain/run.ts'
import { inAlertsOf } from '../../server/http/resources/cases/in-alerts-of.ts'
import type { Services } from '../../server/http/routing/route.ts'
import { extract } from '../../plugins/indicators/skills/extract.ts'

const entry = (
  kind: string,
  path: string,
  input: unknown,
  changes: Partial<JournalEntry> = {},
): JournalEntry => ({
  path,
  stepId: null,
  kind,
  state: 'completed',
  input,
  output: null,
  error: null,
  attempt: 1,
  startedAt: 1,
  endedAt: 2,
  ...changes,
})
const nature = {
  enriches: (skill: string) => skill === 'intel.look_up',
  reads: (skill: string) => skill === 'http.get',
  asks: (skill: string) => skill === 'chat.ask',
}
const kim = { kind: 'user', value: 'Kim@example.com' } as const

describe('case observables', () => {
  const usesOf = (...others: readonly JournalEntry[]) => {
    const journal: CaseJournal = { runUuid: 'run-1', telling: [], others }
    const [found] = observablesOf([journal], nature, [kim])
    return found?.used.map(({ source, path, state, isQuestion }) => ({ source, path, state, isQuestion }))
  }
  const asked = { source: 'chat.ask', path: 'sure/@ask', state: 'completed', isQuestion: true }

  it('list the lookups, once for each question', () => {
    const input = { user: 'kim@example.com', message: 'Was it you?' }
    expect(
      usesOf(
        entry('chat.ask', 'sure/@ask', input),
        entry('chat.ask', 'sure/@remind', input),
        entry('chat.ask', 'sure/@settle', input),
      ),
    ).to.deep.equal([asked])
  })

  it('report that no lookup was possible, and ignore skipped steps', () => {
    expect(
      usesOf(entry('chat.ask', 'a/@ask', { user: kim.value }, { state: 'failed' }))?.[0]?.state,
    ).to.equal('failed')
    expect(usesOf(entry('chat.ask', 'a/@ask', { user: kim.value }, { state: 'skipped' }))).to.deep.equal([])
  })

  it('are found inside inputs of reads, but not inside messages to people', () => {
    const read = entry('http.get', 'fetched', { path: '/users/kim@example.com', deep: { of: ['x'] } })
    expect(usesOf(read)).to.deep.equal([{ ...asked, source: 'http.get', path: 'fetched', isQuestion: false }])
    expect(usesOf(entry('chat.send', 'told', { text: 'about kim@example.com' }))).to.deep.equal([])
    expect(usesOf(entry('chat.send', 'told', { to: [{ name: 'kim@example.com' }] }))).to.have.length(1)
  })

  it('come from the alert if no run extracted any', async () => {
    const uuid = crypto.randomUUID()
    const alerts = {
      list: async () => ({ data: [{ uuid, content: '{"src":"203.0.113.9","user":"kim@example.com"}' }] }),
    }
    const catalogue = { skill: () => ({ skill: extract }) }
    const observables = { ofCase: async () => [] }
    const services = { stores: { alerts, observables }, catalogue } as unknown as Services
    const found = await inAlertsOf(services, { id: 'main-1', organizationUuid: 'o' } as never)
    expect(found).to.deep.include({ kind: 'ip', value: '203.0.113.9' })
    expect(observablesOf([], nature, found).map(({ value }) => value)).to.include('kim@example.com')
  })
})

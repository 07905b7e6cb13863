import { expect } from 'chai'
import { runSkill, testCases } from 'tocsin/plugin/testing'
import { comment } from './skills/comment.ts'
import { create } from './skills/create.ts'
import { find } from './skills/find.ts'
import { update } from './skills/update.ts'

const failure = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error)

describe('case.create', () => {
  it('opens a case with the given fields', async () => {
    const { output, cases } = await runSkill(create, { title: 'A second machine', severity: 'high' })
    expect(cases.all.at(-1)).to.include({
      id: output.id,
      title: 'A second machine',
      severity: 'high',
      verdict: 'unknown',
    })
  })

  it('opens one case if repeated after a crash', async () => {
    const cases = testCases()
    const first = await runSkill(create, { title: 'Once' }, { cases })
    const second = await runSkill(create, { title: 'Once' }, { cases })
    expect(second.output).to.deep.equal(first.output)
    expect(cases.all).to.have.lengthOf(2)
  })

  it('refuses a missing or empty title and one over 200 characters', async () => {
    for (const input of ['{}', '{"title":""}', `{"title":"${'x'.repeat(201)}"}`]) {
      expect(await failure(runSkill(create, JSON.parse(input)))).to.be.an('error')
    }
    await runSkill(create, { title: 'x'.repeat(200), summary: 'x'.repeat(10_000) })
    expect(await failure(runSkill(create, { title: 'x', summary: 'x'.repeat(10_001) }))).to.be.an('error')
  })
})

describe('case.create and case.find with a reference', () => {
  const reference = 'threat_platform/alert_123'

  it('open one case per reference across runs and do not change an existing one', async () => {
    const cases = testCases()
    const first = await runSkill(create, { title: 'One', reference, severity: 'high' }, { cases })
    await runSkill(update, { id: first.output.id, status: 'in_progress' }, { cases })
    const again = await runSkill(create, { title: 'Two', reference }, { cases, run: { id: 'a-later-run' } })
    expect(again.output).to.deep.equal(first.output)
    expect(cases.all).to.have.lengthOf(2)
    const { output } = await runSkill(find, { reference }, { cases, run: { id: 'another-run' } })
    expect(output).to.deep.equal({
      id: first.output.id,
      title: 'One',
      summary: '',
      status: 'in_progress',
      severity: 'high',
      verdict: 'unknown',
      assignee: null,
    })
  })

  it('keep references separate from each other and from step keys', async () => {
    const cases = testCases()
    for (const one of [reference, `${reference}4`])
      await runSkill(create, { title: one, reference: one }, { cases })
    await runSkill(create, { title: 'Without' }, { cases })
    expect(cases.all.map(({ title }) => title)).to.include.members([reference, `${reference}4`, 'Without'])
    for (const one of ['threat_platform', 'test-run/step'])
      expect((await runSkill(find, { reference: one }, { cases })).output.id).to.equal(null)
  })
})

describe('case.update', () => {
  it("changes only the given fields of the run's case if no id is given", async () => {
    const { output, cases } = await runSkill(update, { status: 'closed', verdict: 'benign', assignee: 'ana' })
    expect(output).to.deep.equal({ id: 'DEMO-1' })
    expect(cases.all[0]).to.include({
      title: 'The case of the run',
      status: 'closed',
      verdict: 'benign',
      assignee: 'ana',
    })
  })

  it('changes another case by its id', async () => {
    const cases = testCases()
    const { output } = await runSkill(create, { title: 'Other' }, { cases })
    await runSkill(update, { id: output.id, summary: 'Found.' }, { cases, run: { id: 'other-run' } })
    expect(cases.all.map((one) => one.summary)).to.deep.equal(['', 'Found.'])
  })

  it('fails if there is nothing to change, no such case, or no case at all', async () => {
    expect(await failure(runSkill(update, { id: 'DEMO-1' }))).to.include({ code: 'nothing_to_change' })
    expect(await failure(runSkill(update, { id: 'DEMO-9', summary: 'x' }))).to.include({
      code: 'case_not_found',
    })
    expect(await failure(runSkill(update, { summary: 'x' }, { caseId: null }))).to.include({
      code: 'no_case',
    })
  })

  it('refuses an unknown severity, verdict or status', async () => {
    for (const input of ['{"severity":"urgent"}', '{"verdict":"bad"}', '{"status":"done"}']) {
      expect(await failure(runSkill(update, JSON.parse(input)))).to.be.an('error')
    }
  })
})

describe('case.comment', () => {
  it("adds a note to the run's case once, however often it is repeated", async () => {
    const cases = testCases()
    await runSkill(comment, { text: 'Seen before.' }, { cases })
    await runSkill(comment, { text: 'Seen before.' }, { cases })
    const notes = cases.entries.filter((entry) => entry.kind === 'note')
    expect(notes.map(({ caseId, text }) => [caseId, text])).to.deep.equal([['DEMO-1', 'Seen before.']])
  })

  it('fails if the run has no case and no id was given', async () => {
    expect(await failure(runSkill(comment, { text: 'x' }, { caseId: null }))).to.include({ code: 'no_case' })
  })

  it('refuses an empty text and one over 10,000 characters', async () => {
    for (const text of ['', 'x'.repeat(10_001)])
      expect(await failure(runSkill(comment, { text }))).to.be.an('error')
  })
})

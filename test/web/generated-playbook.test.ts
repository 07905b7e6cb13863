import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { publish } from './support/publish.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const name = 'investigate-strange-main'

describe('a generated playbook in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({})
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  async function runOfAlert() {
    const { body } = await opened.server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'strange',
        alert_content: '{}',
      },
      headers: { prefer: 'wait=10' },
    })
    return (await opened.server.call(`/alerts/${body.alert_id}`)).body.runs[0]
  }
  const stored = async () => (await opened.server.call(`/playbooks/${name}`)).body

  it('explains its origin, can be edited and kept, and investigates the next alerts', async () => {
    await runOfAlert()
    expect((await stored()).origin).to.equal('made')
    const page = await opened.visit(`/playbooks/${name}`)
    await page.getByText('Generated automatically for main').waitFor()
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('# seen by a person\n')
    await page.getByText('No problems').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'made-playbook')
    await publish(page, 'Keep as mine')
    await page.getByText(`Published ${name}`).waitFor()
    await page.getByText('Generated automatically').waitFor({ state: 'detached' })
    const { origin, hash, source } = await stored()
    expect({ origin, source }).to.deep.include({ origin: 'file' })
    expect(source).to.include('# seen by a person')
    expect((await runOfAlert()).playbook_hash).to.equal(hash)
    const { body } = await opened.server.call(`/playbooks?q=${name}`)
    expect(
      body.data.map((row: { origin: string; in_force: boolean }) => [row.origin, row.in_force]),
    ).to.have.deep.members([
      ['file', true],
      ['made', false],
    ])
    // The editor continues with the stored version.
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('# and again\n')
    await publish(page)
    await eventually(
      'the second version',
      async () => (await stored()).source.includes('# and again') || undefined,
    )
  })

  it('can be kept unchanged', async () => {
    await opened.server.call('/organizations', { body: { code: 'acme', name: 'Acme' } })
    await opened.server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'acme',
        alert_type: 'strange',
        alert_content: '{}',
      },
      headers: { prefer: 'wait=10' },
    })
    const page = await opened.visit('/playbooks/investigate-strange-acme')
    await publish(page, 'Keep as mine')
    await page.getByText('Published investigate-strange-acme').waitFor()
    const { body } = await opened.server.call('/playbooks/investigate-strange-acme')
    expect(body).to.include({ origin: 'file', in_force: true })
    await page.getByRole('button', { name: 'Publish' }).waitFor()
  })

  it('tells others who can keep it', async () => {
    await opened.server.call('/organizations', { body: { code: 'initech', name: 'Initech' } })
    await opened.server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'initech',
        alert_type: 'strange',
        alert_content: '{}',
      },
      headers: { prefer: 'wait=10' },
    })
    const { body } = await opened.server.call('/keys', {
      body: { name: 'of initech', role: 'admin', organization_codes: ['initech'] },
    })
    await opened.signInAs(body.key)
    const page = await opened.visit('/playbooks/investigate-strange-initech')
    await page.getByText('An administrator of all organizations can edit and keep it.').waitFor()
    expect(await page.getByRole('button', { name: 'Keep as mine' }).count()).to.equal(0)
  })
})

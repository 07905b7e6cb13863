import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

/** A bell whose first ring crashes its server. */
const plugin = `
import { existsSync, writeFileSync } from 'node:fs'
export default {
  name: 'bell', title: 'Bell', description: 'Rings.',
  skills: [{
    name: 'ring', title: 'Ring', description: 'Rings once.', effect: 'write', repeat: 'never',
    input: { type: 'object', additionalProperties: false, properties: {} },
    output: { type: 'object', required: ['rung'], properties: { rung: { type: 'integer' } } },
    examples: [{ title: 'One', input: {}, output: { rung: 1 } }],
    async run() {
      if (existsSync('rung')) return { rung: 2 }
      writeFileSync('rung', '')
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    },
  }, {
    name: 'tell', title: 'Tell', description: 'Tells.', effect: 'write', repeat: 'safe',
    input: { type: 'object', additionalProperties: false, properties: {} }, output: { type: 'object' },
    examples: [{ title: 'One', input: {}, output: {} }],
    run: async () => ({}),
  }, {
    name: 'hang', title: 'Hang', description: 'Hangs it up.', effect: 'write', repeat: 'safe',
    input: { type: 'object', additionalProperties: false, properties: { tower: { type: 'string' } } },
    output: { type: 'object' },
    examples: [{ title: 'One', input: { tower: 'north' }, output: {} }],
    run: async () => { throw new Error('the rope broke') },
  }],
}
`

const playbooks = {
  ringing: `apiVersion: tocsin/v1
name: ringing
on: { manual: true }
steps:
  - { id: bell, uses: bell.ring }
  - return: \${{ steps.bell.output.rung }}
`,
  asking: `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is this alert real? }
      answers: [yes, no]
      timeout: 1h
`,
  telling: `apiVersion: tocsin/v1
name: telling
on: { manual: true }
steps:
  - { id: told, uses: bell.tell }
  - fail: The bell is broken
`,
  hanging: `apiVersion: tocsin/v1
name: hanging
on: { manual: true }
inputs: { tower: { type: string } }
steps:
  - { id: hung, uses: bell.hang, with: { tower: '\${{ inputs.tower }}' }, retry: { max: 0 } }
`,
  quick: `apiVersion: tocsin/v1
name: quick
on: { manual: true }
steps:
  - { id: one, set: { n: 1 } }
`,
}

describe('runs in a browser', function () {
  this.timeout(60_000)
  const opened = openPage(playbooks, { plugin, ownProcess: true })

  it('show a step with unknown outcome and record a decision', async () => {
    const { page, visit } = opened
    await opened.server
      .call('/playbooks/ringing/runs', { body: { organization_code: 'main' } })
      .catch(() => undefined)
    await opened.restart()
    const { body } = await opened.server.call('/runs?playbook=ringing')
    const [{ run_uuid: uuid }] = body.data
    await visit('/checkpoints')
    await page
      .getByRole('region', { name: 'Steps with unknown outcome' })
      .getByRole('link', { name: 'ringing' })
      .click()
    await page.getByText('outcome of bell unknown').waitFor()
    const step = page.getByRole('region', { name: 'Step', exact: true })
    await step.getByText('The outcome of this step is unknown').waitFor()
    await step.getByText('Unknown').first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'run-unknown')
    await step.getByRole('button', { name: 'Run again' }).click()
    const asking = page.getByRole('dialog', { name: 'Run bell.ring again?' })
    await asking.getByText('running it again has the effect twice').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await asking.getByRole('button', { name: 'Back' }).click()
    await asking.waitFor({ state: 'detached' })
    expect(
      (await opened.server.call(`/runs/${uuid}`)).body.steps[0].resolution,
      'nothing is decided',
    ).to.equal(null)
    const output = step.getByLabel('Output, if it happened')
    expect(await output.inputValue(), 'what the skill has to give, to be filled in').to.equal(
      '{\n  "rung": …\n}',
    )
    await step.getByRole('button', { name: 'It happened', exact: true }).click()
    await step.getByText('Invalid JSON: fill in each “…”').waitFor()
    await output.fill('{ "rung": ')
    await step.getByRole('button', { name: 'It happened', exact: true }).click()
    await step.getByText('Invalid JSON').waitFor()
    await output.fill('{ "rung": 7 }')
    await step.getByRole('button', { name: 'It happened', exact: true }).click()
    await page.getByRole('region', { name: 'Output of the run' }).getByText('7').waitFor()
    await page.locator('.graph-node').filter({ hasText: 'bell' }).click()
    await step.getByText('decided').waitFor()
    const { body: run } = await opened.server.call(`/runs/${uuid}`)
    expect(run.steps[0].resolution).to.include({ decision: 'ran' })
  })

  it('are cancelled while they wait', async () => {
    const { page, visit } = opened
    const uuid = await opened.startRun('asking')
    await visit(`/runs/${uuid}`)
    await page.getByText('Waiting for an answer').waitFor()
    await page.locator('.waterfall-row', { hasText: 'sure' }).getByText('Waiting').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.getByRole('main').getByText('Cancelled', { exact: true }).first().waitFor()
    expect((await opened.server.call(`/runs/${uuid}`)).body.status).to.equal('cancelled')
  })

  it('wait while the engine is paused, then resume', async () => {
    const { page, visit } = opened
    await visit('/health')
    await page.getByRole('button', { name: /^Pause/ }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('maintenance')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume runs' }).waitFor()
    const uuid = await opened.startRun('quick')
    await visit(`/runs/${uuid}`)
    await page.getByRole('main').getByText('Queued').first().waitFor()
    await visit('/health')
    await page.getByRole('button', { name: 'Resume runs' }).click()
    await eventually('the end of the run', async () => {
      const { body } = await opened.server.call(`/runs/${uuid}`)
      return body.status === 'completed' || undefined
    })
  })

  it('are retried together after a preview of repeated actions', async () => {
    const { page, visit, server } = opened
    const uuids = [await opened.startRun('telling'), await opened.startRun('telling')]
    await eventually('the end of both', async () => {
      const { body } = await server.call('/runs?playbook=telling&status=failed')
      return body.total === 2 || undefined
    })
    await visit('/runs?status=failed&playbook=telling')
    await page.getByRole('button', { name: 'Retry all matching' }).waitFor()
    await page.getByLabel('Select all loaded rows').check()
    await page.getByRole('button', { name: 'Retry 2 selected' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 of 2 runs can be retried').waitFor()
    await dialog.getByText('No action will be repeated').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'retry-many')
    await dialog.getByRole('button', { name: 'Retry 2 runs' }).click()
    await dialog.getByText('Retried 2 of 2 runs').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.keyboard.press('Escape')
    const { body } = await server.call('/runs?playbook=telling')
    const before = body.data.map((run: { retry_of: string | null }) => run.retry_of)
    expect(before).to.have.members([...uuids, null, null])
    await page.getByRole('grid').getByRole('link', { name: 'Retried' }).nth(1).waitFor()
    await picture(page, 'runs-retried')
    await visit(`/runs/${uuids[0]}`)
    const next = page.getByRole('link', { name: 'new run' })
    await next.waitFor()
    const again = page.getByRole('button', { name: 'Retry from failed step' })
    expect(await again.count(), 'of what was retried').to.equal(0)
    await next.click()
    await page.getByRole('link', { name: 'previous run' }).waitFor()
    await again.waitFor()
  })

  it('show the inputs of actions that may be repeated', async () => {
    const { page, visit, server } = opened
    const towers = ['north', `south ${'and long '.repeat(40)}end`]
    for (const tower of towers)
      await server.call('/playbooks/hanging/runs', { body: { organization_code: 'main', inputs: { tower } } })
    await eventually('the end of both', async () => {
      const { body } = await server.call('/runs?playbook=hanging&status=failed')
      return body.total === 2 || undefined
    })
    await visit('/runs?status=failed&playbook=hanging')
    await page.getByRole('button', { name: 'Retry all matching' }).click()
    const inputs = page.getByRole('dialog').getByRole('list', { name: 'Inputs of bell.hang' })
    await inputs.getByText('{"tower":"north"}').waitFor()
    await inputs.getByRole('button', { name: 'Show all' }).click()
    await inputs.getByText('and long end').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'retry-many-inputs')
    await visit('/runs?status=failed&organization=main')
    await page.getByRole('row', { name: 'hanging' }).first().waitFor()
    const all = page.getByRole('button', { name: /^Retry all matching/ })
    expect(await all.count(), 'where more is listed than a request can say').to.equal(0)
  })

  it('are retried with the latest version on request', async () => {
    const { page, visit, server } = opened
    const newest = page.getByText('Latest version')
    const sent = async (path: RegExp, button: string) => {
      const asked = page.waitForRequest((request) => {
        return request.method() === 'POST' && path.test(request.url())
      })
      await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
      return (await asked).postDataJSON() as unknown
    }
    await visit('/runs?status=failed&playbook=hanging')
    await page.getByRole('button', { name: 'Retry all matching' }).click()
    await newest.click()
    const { body } = await server.call('/runs?playbook=hanging&status=failed')
    const runs = body.data.map((run: { run_uuid: string }) => run.run_uuid)
    const many = await server.call('/runs/retry/preview', { body: { runs, playbook: 'newest' } })
    const plans = many.body.data.map(({ plan }: { plan: string }) => plan)
    expect(await sent(/runs\/retry$/, 'Retry 2 runs')).to.deep.equal({ runs, plans, playbook: 'newest' })
    const uuid = await eventually('a retry that failed', async () => {
      const { body } = await server.call('/runs?playbook=hanging&status=failed')
      return body.data.find((run: { retry_of: string | null }) => run.retry_of !== null)?.run_uuid
    })
    await visit(`/runs/${uuid}`)
    await page.getByRole('button', { name: 'Retry from failed step' }).click()
    await newest.click()
    const { plan } = (await server.call(`/runs/${uuid}/retry?playbook=newest`)).body
    expect(await sent(/retry$/, 'Retry')).to.deep.equal({ playbook: 'newest', plan })
  })
})

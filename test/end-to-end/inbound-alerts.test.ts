import { expect } from 'chai'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killCommands } from '../support/server/run-tocsin.ts'
import { openHouse, until, type House } from './support/doorbell-house.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const gateBell = `apiVersion: tocsin/v1
plugin: gate_bell
title: Gate bell
description: A bell at the gate.
connection:
  fields: { key: { secret: true } }
  base_url: https://gate.example.com
  check: { get: /me }
  webhooks:
    rings:
      verify: { header: authorization, value: "Bearer \${{ settings.key }}" }
      handshake: { text: "\${{ request.query.challenge }}" }
      each: "\${{ request.body }}"
      provider: doors
      id: "\${{ item.id }}"
skills:
  - name: get_ring
    title: Get a ring
    description: Who rang.
    effect: read
    request: { get: /ring }
    output: { status: "\${{ response.status }}" }
`

/** The handler runs in a thread of the server process, which is killed before it answers. */
describe('alerts of a webhook, with a crash', function () {
  this.timeout(60_000)
  let house: House
  let folder: TemporaryFolder
  before(async () => {
    const plugins = [join(import.meta.dirname, 'support/doorbell-plugin.ts'), await writeDeclared()]
    house = await openHouse({ TOCSIN_PLUGINS: plugins.join(',') })
    const made = await house.call('/providers', { body: { code: 'doors', name: 'Doors' } })
    expect(made.status).to.equal(201)
  })
  after(async () => {
    await house.close()
    await killCommands()
    await folder.remove()
  })

  async function writeDeclared(): Promise<string> {
    folder = await makeTemporaryFolder()
    const path = join(folder.path, 'gate_bell')
    await mkdir(path)
    await writeFile(join(path, 'plugin.yaml'), gateBell)
    return path
  }

  const contents = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await house.call(`/alerts?content=true&limit=200${cursor}`)
      found.push(...body.data.map((one: { alert_content: string }) => one.alert_content))
      if (body.next_cursor === null) return found
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }

  it('are stored once each when the vendor sends the request again', async () => {
    const event = { type: 'alarms', count: 300 } as const
    const lost = house.send(event).then(
      ({ status }) => status,
      () => 'no answer',
    )
    await until(async () => ((await contents()).length > 0 ? true : undefined))
    await house.restart('SIGKILL')
    expect(await lost).to.be.oneOf([200, 'no answer'])
    expect((await house.send(event)).status).to.equal(200)
    const all = await contents()
    expect([all.length, new Set(all).size]).to.deep.equal([300, 300])
  })

  it('come in by a plugin.yaml too', async () => {
    const body = {
      organization_code: 'main',
      name: 'gate',
      plugin: 'gate_bell',
      settings: { key: 'a-long-key' },
    }
    expect((await house.call('/connections', { body })).status).to.equal(201)
    const { body: manifest } = await house.call('/connections/gate/manifest')
    const send = (authorization: string, text: string) =>
      fetch(manifest.webhooks.rings, { method: 'POST', headers: { authorization }, body: text })
    const before = await contents()
    expect((await send('Bearer another', '[{"id":1}]')).status).to.equal(401)
    for (let times = 0; times < 2; times++)
      expect((await send('Bearer a-long-key', '[{"id":1},{"id":2,"who":"é"}]')).status).to.equal(200)
    const added = (await contents()).filter((content) => !before.includes(content))
    expect(added).to.have.members(['{"id":1}', '{"id":2,"who":"é"}'])
    const challenge = await fetch(`${manifest.webhooks.rings}&challenge=a%20b`)
    expect([challenge.status, await challenge.text()]).to.deep.equal([200, 'a b'])
  })
})

import { expect } from 'chai'
import { checkConnection, loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox from './sandbox.ts'
import { getItem } from './skills/get-item.ts'

/** The message, hint and details of an error. */
const told = ({ code, hint }: { readonly code?: string; readonly hint?: string }) => ({ code, hint })

describe('example_plugin.get_item', () => {
  const settings = { api_key: 'some-key' }

  it('percent-encodes the number', async () => {
    const replies = [{ json: { name: 'Bell' } }]
    const { requests } = await runSkill(getItem, { id: '7/8' }, { settings, replies })
    expect(requests.map(({ path }) => path)).to.deep.equal(['/items/7%2F8'])
  })

  it('reports an item that does not exist', async () => {
    const { output } = await runSkill(getItem, { id: '9' }, { settings, replies: [{ status: 404 }] })
    expect(output).to.deep.equal({ known: false })
  })

  it('accepts an item without a name', async () => {
    const { output } = await runSkill(getItem, { id: '7' }, { settings, replies: [{ json: {} }] })
    expect(output).to.deep.equal({ known: true, name: null })
  })
})

describe('the connection of example_plugin', () => {
  it('gives a hint for a wrong key', async () => {
    const running = await sandbox.start()
    const settings = { ...running.settings, api_key: 'wrong-key' }
    const check = checkConnection(connection, { settings, egress: loopbackEgress })
    const { hint } = told(
      await check.then(
        () => ({}),
        (error: object) => error,
      ),
    )
    await running.close()
    expect(hint).to.include('create a new one')
  })
})

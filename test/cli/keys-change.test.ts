import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

const day = 86_400_000
const inDays = (count: number): string => new Date(Date.now() + count * day).toISOString().slice(0, 10)

describe('tocsin keys', () => {
  let folder: TemporaryFolder
  let server: RunningServer

  const keys = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runTocsin(['keys', ...args], { env: { TOCSIN_DATA_DIR: folder.path, ...env } })
  const keyNamed = async (name: string) => {
    const { body } = await server.call('/keys')
    return body.data.find((key: { readonly name: string }) => key.name === name)
  }
  const works = async (key: string): Promise<boolean> =>
    (await server.call('/organizations', { key: key.trim() })).status === 200

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
    const body = { email: 'anna@example.com', name: 'Anna', roles: [{ role: 'analyst' }] }
    await server.call('/accounts', { body })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('gives a new key an owner, addresses and a last day', async () => {
    const end = inDays(9)
    const given = ['--role', 'analyst', '--owner', 'ANNA@example.com', '--expires', end]
    const { code, stdout, stderr } = await keys([
      'create',
      'scripts',
      ...given,
      '--address',
      '127.0.0.1',
      '10.1.0.0/16',
    ])
    expect(code, stderr).to.equal(0)
    expect(stderr).to.equal(`analyst key 'scripts' for all organizations, valid until ${end}; shown once:\n`)
    expect(await works(stdout)).to.equal(true)
    expect(await keyNamed('scripts')).to.deep.include({
      owner_name: 'Anna',
      owner_accepted: false,
      allowed_addresses: ['127.0.0.1', '10.1.0.0/16'],
      expires_at: Date.parse(end),
    })
    const { stdout: list } = await keys(['list'])
    expect(list).to.match(
      new RegExp(`scripts +analyst +all +anna@example.com +127.0.0.1 10.1.0.0/16 .* valid until ${end}`),
    )
  })

  it('uses TOCSIN_KEY_DAYS for a key without a chosen end, unless it only posts alerts', async () => {
    const env = { TOCSIN_KEY_DAYS: '10' }
    await keys(['create', 'of ten days', '--role', 'reader'], env)
    await keys(['create', 'of a source'], env)
    await keys(['create', 'for ever', '--role', 'reader', '--expires', 'never'], env)
    const end = (await keyNamed('of ten days')).expires_at as number
    expect(end - Date.now()).to.be.within(9.9 * day, 10 * day)
    expect((await keyNamed('of a source')).expires_at).to.equal(null)
    expect((await keyNamed('for ever')).expires_at).to.equal(null)
  })

  it('rotates a key in place, with an overlap and a later end', async () => {
    const first = (await keys(['create', 'rotated', '--role', 'reader', '--days', '5'])).stdout.trim()
    const id = first.split('_')[1] ?? ''
    const end = inDays(40)
    const second = await keys(['rotate', id, '--overlap', '5', '--expires', end])
    expect(second.stderr).to.equal(
      `reader key 'rotated', valid until ${end}; the earlier value is accepted for 5 more minutes; shown once:\n`,
    )
    expect([await works(first), await works(second.stdout)]).to.deep.equal([true, true])
    const third = await keys(['rotate', id])
    expect(third.stderr).to.contain('the earlier value is refused now')
    expect([await works(first), await works(second.stdout), await works(third.stdout)]).to.deep.equal([
      false,
      false,
      true,
    ])
    const earlier = await keys(['rotate', id, '--expires', inDays(20)])
    expect(earlier.code).to.equal(1)
    expect(earlier.stderr).to.contain('would end earlier than now').and.contain('revoke the key')
  })

  it('changes the owner and the addresses', async () => {
    const key = (await keys(['create', 'moved', '--role', 'reader'])).stdout.trim()
    const id = key.split('_')[1] ?? ''
    expect(
      (await keys(['change', id, '--owner', 'anna@example.com', '--address', '192.0.2.7'])).stderr,
    ).to.equal("reader key 'moved' is accepted from 192.0.2.7; it has an owner\n")
    expect(await works(key)).to.equal(false)
    expect((await keys(['change', id, '--any-address'])).stderr).to.contain(
      'from every address; it has an owner',
    )
    expect(await works(key)).to.equal(true)
    expect((await keys(['change', id, '--no-owner'])).stderr).to.contain('it has no owner')
  })

  it('names the wrong value and the fix', async () => {
    const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [['create', 'x', '--expires', 'soon'], /It must be never, or a day after today/],
      [['create', 'x', '--expires', '2027-02-30'], /It must be never, or a day after today/],
      [['create', 'x', '--expires', inDays(-1)], /It must be never, or a day after today/],
      [['create', 'x', '--expires', 'never', '--days', '3'], /cannot be used with option '--days/],
      [['create', 'x', '--address', '10.1'], /It must be an IP address or a range/],
      [
        ['create', 'x', '--owner', 'nobody@example.com'],
        /no account has the e-mail address 'nobody@example.com'/,
      ],
      [['change', '000000000000', '--no-owner'], /there is no key with the id/],
      [['change', '000000000000'], /nothing to change\nhint {2}give --owner/],
      [['rotate', '000000000000'], /there is no key with the id/],
      [['rotate', '000000000000', '--overlap', '10081'], /It must be a whole number from 0 to 10080/],
    ]
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await keys(args)
      expect([code, stdout], args.join(' ')).to.deep.equal([code === 2 ? 2 : 1, ''])
      expect(stderr).to.match(message)
    }
  })

  it('that end soon are named by tocsin doctor', async () => {
    await keys(['create', 'ending', '--role', 'reader', '--days', '3'])
    const { stdout } = await runTocsin(['doctor', '--offline'], { env: { TOCSIN_DATA_DIR: folder.path } })
    expect(stdout).to.match(
      new RegExp(
        `warning {2}key [0-9a-f]{12}: the reader key 'ending' ends on ${inDays(3)}\n +hint renew it: tocsin keys rotate`,
      ),
    )
    expect(stdout).not.to.contain("'of ten months'")
  })
})

describe('tocsin people invite', () => {
  let folder: TemporaryFolder
  let server: RunningServer

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
    const role = { name: 'case_desk', description: 'x', permissions: ['cases:read'] }
    await server.call('/roles', { body: role })
    await server.call('/roles', { body: { ...role, name: 'main_desk', organization_code: 'main' } })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const invite = (...args: string[]) =>
    runTocsin(['people', 'invite', ...args], { env: { TOCSIN_DATA_DIR: folder.path } })

  it('gives every role for people, and custom ones where they can be given', async () => {
    const ended: { readonly code: number | null; readonly stderr: string }[] = []
    for (const args of [
      ['a@example.com', '--role', 'responder'],
      ['b@example.com', '--role', 'case_desk'],
      ['c@example.com', '--role', 'main_desk', '--organization', 'main'],
    ])
      ended.push(await invite(...args))
    expect(ended.map(({ code }) => code)).to.deep.equal([0, 0, 0])
    // The first account ends the link for the first administrator.
    const warned = ended.map(({ stderr }) => stderr.includes('first administrator'))
    expect(warned).to.deep.equal([true, false, false])
    for (const args of [
      ['d@example.com', '--role', 'main_desk'],
      ['d@example.com', '--role', 'intake'],
      ['d@example.com', '--role', 'boss'],
    ]) {
      const { code, stdout, stderr } = await invite(...args)
      expect([code, stdout], args.join(' ')).to.deep.equal([1, ''])
      expect(stderr).to.match(/there is no role '\w+' there\nhint {2}roles: reader, analyst, .*case_desk/)
    }
    const { body } = await server.call('/accounts')
    expect(body.data).to.have.length(3)
  })
})

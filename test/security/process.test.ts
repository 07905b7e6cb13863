import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKey } from '../../server/access/keys.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const masterKey = randomBytes(32).toString('base64')

const credentials = {
  TOCSIN_MASTER_KEY: masterKey,
  TOCSIN_NEXT_MASTER_KEY: randomBytes(32).toString('base64'),
  TOCSIN_BOOTSTRAP_API_KEY: makeKey().value,
  TOCSIN_AUDIT_EXPORT_AUTHORIZATION: 'Bearer canary-export-4711',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary-4711',
}

/** A plugin that records its environment when it is loaded, and the environment of a child process. */
const curious = `
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
writeFileSync(process.env.SEEN_FILE, JSON.stringify(process.env))
const print = 'process.stdout.write(JSON.stringify(process.env))'
writeFileSync(process.env.SEEN_FILE + '.child', execFileSync(process.execPath, ['-e', print]))
export default {
  name: 'curious',
  title: 'Curious',
  description: 'Looks around.',
  skills: [
    {
      name: 'look',
      title: 'Look',
      description: 'Looks around.',
      effect: 'read',
      input: { type: 'object', additionalProperties: false, properties: {} },
      output: { type: 'object', additionalProperties: false, properties: {} },
      examples: [{ title: 'Looked', input: {}, output: {} }],
      run: async () => ({}),
    },
  ],
}
`

describe('the server process', () => {
  let folder: TemporaryFolder
  let dataDir: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'data')
    await mkdir(dataDir)
    await chmod(dataDir, 0o755)
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  it('writes files for its owner only, into a directory closed to others', async function () {
    const server = await startServer({ dataDir })
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700)
    if (process.platform !== 'linux') this.skip()
    const status = await readFile(`/proc/${server.command.process.pid}/status`, 'utf8')
    expect(status).to.match(/^Umask:\t0077$/m)
  })

  it('opens no inspector on SIGUSR1 and keeps working', async () => {
    const server = await startServer({ dataDir })
    server.command.process.kill('SIGUSR1')
    // Answered after the signal was delivered.
    for (let n = 0; n < 3; n++) expect((await server.call('/organizations')).status).to.equal(200)
    expect((await server.stop()).stderr).to.not.match(/debugger|inspector/i)
  })

  it('opens no inspector if another program starts the server', async () => {
    const main = new URL('../../server/', import.meta.url).href
    const program = join(folder.path, 'embed.mjs')
    await writeFile(
      program,
      `import { readConfig } from '${main}config/config.ts'
       import { startTocsin } from '${main}main.ts'
       const tocsin = await startTocsin(readConfig(process.env))
       process.kill(process.pid, 'SIGUSR1')
       await fetch(tocsin.url + '/healthz')
       await tocsin.close()
       console.log('closed', Object.keys(process.env).filter((name) => name === 'TOCSIN_MASTER_KEY'))`,
    )
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], {
      env: {
        PATH: process.env['PATH'],
        TOCSIN_DATA_DIR: dataDir,
        TOCSIN_PORT: '0',
        TOCSIN_MASTER_KEY: masterKey,
      },
      cwd: folder.path,
    })
    expect(stdout).to.equal('closed []\n')
    expect(stderr).to.not.match(/debugger|inspector/i)
  })

  it('hides credentials in its environment from plugins and child processes', async () => {
    await writeFile(join(folder.path, 'curious.js'), curious)
    const file = join(folder.path, 'seen.json')
    const server = await startServer({
      dataDir,
      cwd: folder.path,
      env: { ...credentials, TOCSIN_PLUGINS: './curious.js', SEEN_FILE: file, TOCSIN_LOG_LEVEL: 'error' },
      adminKey: credentials.TOCSIN_BOOTSTRAP_API_KEY,
    })
    expect((await server.call('/organizations')).status).to.equal(200)
    const seen = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
    const inChild = await readFile(`${file}.child`, 'utf8')
    for (const [name, value] of Object.entries(credentials)) {
      expect(seen, name).to.not.have.property(name)
      expect(inChild, name).to.not.contain(name).and.not.contain(value)
    }
    expect(seen).to.have.property('SEEN_FILE')
    expect((await server.stop()).stderr).to.equal('')
  })

  it('hides credentials from plugins that a command loads', async () => {
    await writeFile(join(folder.path, 'curious.js'), curious)
    const file = join(folder.path, 'seen.json')
    const env = { ...credentials, TOCSIN_PLUGINS: './curious.js', SEEN_FILE: file, TOCSIN_DATA_DIR: dataDir }
    const { code } = await runTocsin(['skills'], { cwd: folder.path, env })
    expect(code).to.equal(0)
    const seen = JSON.parse(await readFile(file, 'utf8')) as object
    expect(seen).to.not.have.any.keys(...Object.keys(credentials))
  })

  it('refuses a foreign directory that others can enter, with a hint', async () => {
    await writeFile(join(dataDir, 'notes.txt'), '')
    const { code, stderr } = await runTocsin(['serve'], {
      env: { TOCSIN_DATA_DIR: dataDir, TOCSIN_PORT: '0' },
    })
    expect(code).to.equal(1)
    expect(stderr).to.match(
      /^error .*data is open to other users \(mode 755\), and contains 'notes\.txt', which is not a file of Tocsin\nhint {2}set /,
    )
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o755)
  })
})

import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import { workstation } from './examples/machine.ts'
import { vendorCommands } from './actions/live-response-commands.ts'
import sandbox from './sandbox.ts'
import { endpointFaults } from './sandbox/faults.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'
import { busyHost } from './sandbox/data/machines.ts'
import type { Controls } from './sandbox/commands.ts'
import { runLiveResponse } from './skills/run-live-response.ts'

const { id } = workstation
const comment = 'Case ACME-7'
const commands = [
  { type: 'PutFile', fileName: 'tool.exe' },
  { type: 'RunScript', scriptName: 'minidump.ps1', args: '-Path "C:\\a b"' },
  { type: 'GetFile', path: 'C:\\windows\\TEMP\\a.zip' },
] as const

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('endpoint_security.run_live_response', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const start = (machine = id) =>
    runSkill(
      runLiveResponse,
      { id: machine, comment, commands },
      { settings: running.settings, egress: loopbackEgress },
    )

  it('sends the commands in the vendor’s format without looking for earlier sessions', async () => {
    const { output } = await start()
    const [, post, ...others] = running.requests
    expect(post?.path).to.equal(`/API/machines/${id}/runliveresponse`)
    expect(valueAt(JSON.parse(post?.body ?? ''), 'Commands')).to.deep.equal([
      { type: 'PutFile', params: [{ key: 'FileName', value: 'tool.exe' }] },
      {
        type: 'RunScript',
        params: [
          { key: 'ScriptName', value: 'minidump.ps1' },
          { key: 'Args', value: '-Path "C:\\a b"' },
        ],
      },
      { type: 'GetFile', params: [{ key: 'Path', value: 'C:\\windows\\TEMP\\a.zip' }] },
    ])
    expect(others).to.deep.equal([])
    expect(output.results.map(({ index, type, status }) => [index, type, status])).to.deep.equal([
      [0, 'PutFile', 'Created'],
      [1, 'RunScript', 'Created'],
      [2, 'GetFile', 'Created'],
    ])
  })

  it('is never repeated automatically', () => {
    expect(runLiveResponse).to.include({ effect: 'write', repeat: 'never' })
  })

  it('never adopts a session of someone else', async () => {
    await start()
    const error = await caught(start())
    // The action certainly did not happen, so the engine may retry even a non-repeatable one.
    expect(error).to.include({ name: 'RetryableError', code: 'machine_busy' })
    expect(await caught(start(busyHost.id))).to.include({ name: 'RetryableError', code: 'machine_busy' })
  })

  it('returns links to command results and marks them sensitive', async () => {
    const recordedAction = endpointFixture('live-response-created') as { commands: readonly object[] }
    const done = {
      ...recordedAction,
      status: 'Succeeded',
      commands: recordedAction.commands.map((command) => ({ ...command, commandStatus: 'Completed' })),
    }
    const replies = [
      { status: 201, json: done },
      { json: endpointFixture('live-response-result-link') },
      endpointFaults.tooManyRequests,
    ]
    const { output, logs, requests } = await runSkill(
      runLiveResponse,
      { id, comment, commands, wait_seconds: 60 },
      { settings: running.settings, replies },
    )
    expect(requests.map(({ path }) => path).slice(1)).to.deep.equal([
      '/api/machineactions/988cc94e-7a8f-4b28-ab65-54970c5d5018/GetLiveResponseResultDownloadLink(index=0)',
      '/api/machineactions/988cc94e-7a8f-4b28-ab65-54970c5d5018/GetLiveResponseResultDownloadLink(index=1)',
    ])
    expect(output.finished).to.equal(true)
    expect(output.results[0]?.download_url).to.match(/^https:\/\/core\.windows\.net\//)
    expect(output.results[1]?.download_url).to.equal(null)
    expect(JSON.stringify(logs)).to.not.include('sig=')
  })

  it('marks links as sensitive', () => {
    const { download_url } = runLiveResponse.output.properties.results.items.properties
    expect(download_url).to.have.property('x-sensitive', true)
  })

  it('reports that live response is disabled', async () => {
    const error = await caught(
      runSkill(
        runLiveResponse,
        { id, comment, commands },
        { settings: running.settings, replies: [endpointFaults.featureDisabled] },
      ),
    )
    expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
    expect(valueAt(error, 'hint')).to.match(/turn the feature on/)
  })

  for (const [about, wrong] of [
    [
      'GetFile before RunScript',
      [
        { type: 'GetFile', path: 'a' },
        { type: 'RunScript', scriptName: 'b' },
      ],
    ],
    ['RunScript without scriptName', [{ type: 'RunScript', args: 'b' }]],
    ['PutFile with args', [{ type: 'PutFile', fileName: 'a', args: 'b' }]],
  ] as const) {
    it(`refuses ${about}`, () => {
      expect(() => vendorCommands(wrong))
        .to.throw(/^commands\[\d\]: /)
        .with.property('code', 'bad_commands')
    })
  }
})

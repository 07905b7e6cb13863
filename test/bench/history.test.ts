import { join } from 'node:path'
import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openHistory } from './history.ts'

describe('the benchmark history', () => {
  let folder: TemporaryFolder
  let file: string
  const figures = (cpuMs: number) => ({ perSecond: 100, p50: 1, p99: 1, p999: 1, cpuMs, flushes: 0 })
  const record = (commit: string, connections: number, cpuMs: number): void =>
    openHistory(file, commit).add('Intake', connections, figures(cpuMs), figures(1))

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    file = join(folder.path, 'cache/history.jsonl')
  })
  afterEach(() => folder.remove())

  it('compares the median of a commit with earlier ones at each number of connections', () => {
    for (const cpuMs of [2, 2.5, 50]) record('first', 32, cpuMs)
    record('first', 256, 2)
    for (const cpuMs of [2.6, 2.7, 1]) record('second', 32, cpuMs)
    record('second', 256, 4)
    expect(openHistory(file, 'second').compare('Intake')).to.deep.equal([
      ['at once', 'first', 'second', ''],
      [
        ['32', '0.40', '0.38', ''],
        ['256', '0.50', '0.25', 'worse'],
      ],
    ])
  })

  it('has no comparison for the first commit or another benchmark', () => {
    expect(openHistory(file, 'first').compare('Intake')).to.equal(undefined)
    record('first', 32, 2)
    expect(openHistory(file, 'first').compare('Intake')).to.equal(undefined)
    record('second', 32, 2)
    expect(openHistory(file, 'second').compare('Calls')).to.equal(undefined)
  })
})

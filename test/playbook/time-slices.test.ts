import { expect } from 'chai'
import { parseInSlices, parsePlaybook } from '../../core/playbook/read/parse.ts'
import { runInSlices, type Sliced } from '../../core/common/sliced.ts'
import { inspectInSlices } from '../../core/editor/inspection.ts'
import { largePlaybooks } from '../support/large-playbooks.ts'
import { limitHere, threadTime } from '../support/processor-time.ts'

/** In milliseconds of processor time, on a machine that is not slower than the usual one. */
const maxSliceMs = 50

/** The result of the work, and its longest time slice. */
async function measured<T>(work: Sliced<T>): Promise<{ readonly result: T; readonly longestMs: number }> {
  let from = threadTime()
  let longestMs = 0
  const end = () => {
    longestMs = Math.max(longestMs, threadTime() - from)
  }
  const result = await runInSlices(work, async () => {
    end()
    from = threadTime()
  })
  end()
  return { result, longestMs }
}

/** The minimum of several measurements: the garbage collector and other programs only add to it. */
async function longestSlice<T>(work: () => Sliced<T>): Promise<number> {
  let least = Infinity
  for (let tries = 0; tries < 4 && least >= maxSliceMs; tries++)
    least = Math.min(least, (await measured(work())).longestMs)
  return least
}

const head = 'apiVersion: tocsin/v1\nname: large\non: { manual: true }\n'
const times = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join('')

/** Large in one place, or with many mistakes. */
const oneSided: Readonly<Record<string, string>> = {
  'a map of many expressions': `${head}steps:\n  - set:\n${times(9_000, (at) => `      k${at}: "\${{ ${at} }}"\n`)}`,
  'a list of many expressions': `${head}steps:\n  - set: { a: [${times(9_000, (at) => `"\${{ ${at} }}",`)} 1] }\n`,
  'a question with many answers': `${head}steps:\n  - checkpoint: { via: operator, with: { message: x }, answers: [${times(9_000, (at) => `a${at}, `)} b], timeout: 1h, on_timeout: b }\n`,
  'many inputs': `${head}inputs:\n${times(4_000, (at) => `  k${at}: { type: string }\n`)}steps:\n  - set: { a: 1 }\n`,
  'a tab in each step': `${head}steps:\n${'  - set:\n\ta: 1\n'.repeat(3_000)}`,
  'a text full of look-alikes': `${head}steps:\n  - set: { a: "${'{{ steps.a.output }} '.repeat(12_000)}" }\n`,
  'a mistake in each expression': `${head}steps:\n${times(3_000, (at) => `  - set: { a: "\${{ foo${at} }}" }\n`)}`,
}

describe('maximum-size playbooks, checked in time slices', () => {
  for (const [what, source] of Object.entries({ ...largePlaybooks, ...oneSided })) {
    it(`block for less than ${maxSliceMs} ms: ${what}`, async () => {
      expect(await longestSlice(() => parseInSlices(source))).to.be.lessThan(limitHere(maxSliceMs))
    })
  }

  it('do not block longer while they are edited', async () => {
    const source = largePlaybooks['steps with ids']!
    expect(await longestSlice(() => inspectInSlices(source, undefined))).to.be.lessThan(limitHere(maxSliceMs))
  })

  it('produce the same result in slices and at once', async () => {
    const source = largePlaybooks['conditions in conditions']!.replace('set: { a: 1 }', 'sett: { a: 1 }')
    const { result } = await measured(parseInSlices(source))
    expect(result).to.deep.equal(parsePlaybook(source))
    expect(result.problems.map(({ code }) => code)).to.include('E104')
  })
})

describe('work in time slices', () => {
  it('throws its errors, and pauses before long parts', async () => {
    const seen: string[] = []
    function* work(): Sliced<never> {
      const from = performance.now()
      while (performance.now() - from < 5);
      yield 'long'
      seen.push('long')
      throw new RangeError('deep')
    }
    const pause = async () => void seen.push('pause')
    const failed: unknown = await runInSlices(work(), pause).catch((reason: unknown) => reason)
    expect(failed).to.be.instanceOf(RangeError)
    expect(seen).to.deep.equal(['pause', 'long'])
  })
})

import { expect } from 'chai'
import { exploreDryRun, type DryRunTree } from '../../core/dry-run/explore.ts'
import type { DryRunOptions } from '../../core/dry-run/dry-run.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import type { AnswerChoice } from '../../core/playbook-test/run/checkpoint-answers.ts'
import { catalogue, playbookOf, playbookSource } from '../playbook-test/support.ts'

const playbook = playbookOf(
  playbookSource(`
  - { id: who, uses: people.find, with: { email: x } }
  - id: confirm
    checkpoint: { via: people.ask, with: { user: "\${{ steps.who.output.name }}" }, answers: [mine, not_mine], timeout: 1h, on_timeout: no_reply }
  - id: cut
    if: steps.confirm.output.answer != "mine"
    uses: people.isolate
    with: { id: m }
  - id: sure
    if: steps.confirm.output.answer == "no_reply"
    checkpoint:
      via: operator
      with: { message: Sure? }
      form: { type: object, required: [ok], properties: { ok: { type: boolean } } }
      timeout: 2h`),
)

const silent = { debug() {}, info() {}, warn() {}, error() {} }

async function explore(
  choices: Readonly<Record<string, AnswerChoice>> = {},
  mocks = '',
  explored: DryRunOptions['playbook'] = playbook,
  signal?: AbortSignal,
) {
  const reads: string[] = []
  const { fixtures, mocks: given } = parseWorld(`{ ${mocks} }`, explored, { catalogue }).world!
  const options: DryRunOptions = {
    playbook: explored,
    catalogue,
    fixtures: fixtures({}),
    mocks: given,
    log: silent,
    choices: new Map(Object.entries(choices)),
    signal,
    live: async ({ skill }) => {
      reads.push(skill)
      return { name: 'Kim', risk: 1 }
    },
  }
  return { tree: await exploreDryRun(options), reads }
}

/** The tree as text: the events, and below each question its branches. */
function drawn({ events, end }: DryRunTree): unknown {
  const happened = events.map((event) =>
    'would' in event ? `would ${event.would.skill}` : `${event.ended.state} ${event.ended.path}`,
  )
  if (end === 'too many ways') return [...happened, end]
  if (!('ways' in end)) return [...happened, end.outcome?.status]
  const ways = end.ways.map(({ choice, tree }) => [
    choice === 'timeout' ? choice : 'answers' in choice ? 'split' : choice.answer,
    drawn(tree),
  ])
  return [...happened, `asks ${end.asked.path}`, ways]
}

describe('exploreDryRun', () => {
  it('follows every possible answer and makes each read once', async () => {
    const { tree, reads } = await explore()
    const isolated = ['completed confirm', 'would people.isolate', 'completed cut']
    expect(drawn(tree)).to.deep.equal([
      'completed who',
      'would people.ask',
      'completed confirm/@ask',
      'asks confirm',
      [
        ['mine', ['completed confirm', 'skipped cut', 'skipped sure', 'completed']],
        ['not_mine', [...isolated, 'skipped sure', 'completed']],
        [
          'timeout',
          [
            ...isolated,
            'asks sure',
            [
              [{ ok: false }, ['completed sure', 'completed']],
              ['timeout', ['failed sure', 'failed']],
            ],
          ],
        ],
      ],
    ])
    expect(reads).to.deep.equal(['people.find'])
  })

  it('tries each decision of several people: the same answer of all, different ones, and none', async () => {
    const checkpoint =
      'ask: [ann, bob], via: operator, with: { message: Well? }, answers: [yes, no, unsure], veto: no, timeout: 1h'
    const several = playbookOf(playbookSource(`\n  - { id: a, checkpoint: { ${checkpoint} } }`))
    const { tree } = await explore({}, '', several)
    const ways = (end: DryRunTree['end']) =>
      end !== 'too many ways' && 'ways' in end
        ? end.ways.map(({ choice, tree: way }) => [
            choice === 'timeout' ? choice : 'answers' in choice ? 'split' : choice.answer,
            (drawn(way) as readonly unknown[]).at(-1),
          ])
        : []
    expect(ways(tree.end)).to.deep.equal([
      ['yes', 'completed'],
      ['no', 'completed'],
      ['unsure', 'completed'],
      ['split', 'failed'],
      ['timeout', 'failed'],
    ])
  })

  it('tries a wait for an event with an alert that fits its schema, and without', async () => {
    const wait =
      'for: { alert: { type: seen } }, where: event.data.n == 99, schema: { type: object, required: [n], properties: { n: { type: integer } } }'
    const waiting = playbookOf(
      playbookSource(
        `\n  - { id: a, wait: { ${wait}, timeout: 1h, on_timeout: continue } }\n  - return: "\${{ steps.a.output.timed_out }}"`,
      ),
    )
    const { tree } = await explore({}, '', waiting)
    const ways =
      'ways' in (tree.end as object) ? (tree.end as Extract<DryRunTree['end'], { ways: unknown }>).ways : []
    expect(ways.map(({ choice }) => choice)).to.deep.equal([{ answer: { n: 0 } }, 'timeout'])
    expect(
      ways.map(({ tree: way }) =>
        'outcome' in (way.end as object)
          ? (way.end as { outcome: { output: unknown } }).outcome.output
          : null,
      ),
    ).to.deep.equal([false, true])
  })

  it('asks parallel questions one after the other', async () => {
    const ask = (id: string) =>
      `{ id: ${id}, checkpoint: { via: operator, with: { message: Well? }, answers: [yes], timeout: 1h } }`
    const both = playbookOf(playbookSource(`\n  - parallel: [${ask('a')}, ${ask('b')}]`))
    const { tree } = await explore({}, '', both)
    expect(drawn(tree)).to.deep.equal([
      'asks 0/a',
      [
        [
          'yes',
          [
            'completed 0/a',
            'asks 0/b',
            [
              ['yes', ['completed 0/b', 'completed 0', 'completed']],
              ['timeout', ['failed 0/b', 'failed 0', 'failed']],
            ],
          ],
        ],
        [
          'timeout',
          [
            'asks 0/b',
            [
              ['yes', ['completed 0/b', 'failed 0/a', 'failed 0', 'failed']],
              ['timeout', ['failed 0/a', 'failed 0/b', 'failed 0', 'failed']],
            ],
          ],
        ],
      ],
    ])
  })

  it('follows one path with given answers', async () => {
    const { tree } = await explore({ confirm: 'timeout', sure: { answer: { ok: true } } })
    expect(drawn(tree)).to.deep.equal([
      'completed who',
      'would people.ask',
      'completed confirm/@ask',
      'completed confirm',
      'would people.isolate',
      'completed cut',
      'completed sure',
      'completed',
    ])
  })

  it('accepts answers from fixtures', async () => {
    const { tree } = await explore({}, 'mocks: { steps.confirm: { answer: mine } }')
    expect((drawn(tree) as unknown[]).at(-1)).to.equal('completed')
  })

  it('stops at a maximum number of paths', async () => {
    const asks = Array.from({ length: 7 }, (_, n) => {
      return `  - { id: q${n}, checkpoint: { via: operator, with: { message: x }, answers: [a], timeout: 1h, on_timeout: a } }`
    })
    const many = playbookOf(playbookSource(asks.join('\n')))
    const world = parseWorld('{}', many, { catalogue }).world!
    const tree = await exploreDryRun({
      playbook: many,
      catalogue,
      fixtures: world.fixtures({}),
      mocks: world.mocks,
      log: silent,
      live: () => Promise.reject(new Error('nothing is read')),
    })
    expect(JSON.stringify(drawn(tree)).match(/too many ways/g)?.length).to.be.greaterThan(0)
    expect(JSON.stringify(drawn(tree)).match(/"completed"\]/g)).to.have.length(64)
  })

  it('aborts at once on request, even during a read', async () => {
    const stop = new AbortController()
    const { fixtures, mocks } = parseWorld('{}', playbook, { catalogue }).world!
    const reason = new Error('nobody waits')
    const error: unknown = await exploreDryRun({
      playbook,
      catalogue,
      fixtures: fixtures({}),
      mocks,
      log: silent,
      signal: stop.signal,
      live: async ({ attempt: { signal } }) => {
        stop.abort(reason)
        signal.throwIfAborted()
      },
    }).catch((thrown: unknown) => thrown)
    expect(error).to.equal(reason)
  })

  it('yields to others, even in a run that never waits', async () => {
    const steps = Array.from({ length: 40 }, (_, n) => `  - { id: s${n}, set: { n: ${n} } }`)
    const stop = new AbortController()
    setImmediate(() => setImmediate(() => stop.abort(new Error('told in time'))))
    const tried = explore({}, '', playbookOf(playbookSource(`\n${steps.join('\n')}`)), stop.signal)
    const error: unknown = await tried.catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message', 'told in time')
  })
})

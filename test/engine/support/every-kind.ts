import { dyn } from '../../../core/expression/index.ts'
import { RetryableError, SkillError } from '../../../core/plugin/index.ts'
import type { TestSkills } from './bench.ts'
import { makePlaybook } from './make-playbook.ts'

/** The state of the other systems: effects by idempotency key. Survives crashes of Tocsin. */
export class World {
  readonly effects = new Map<string, number>()

  happen(skill: string, key: string): void {
    const name = `${skill} ${key.slice(key.indexOf('/') + 1)}`
    this.effects.set(name, (this.effects.get(name) ?? 0) + 1)
  }

  /** @param answer given by a person as soon as they are asked */
  skills(answer: (checkpointId: string) => Promise<unknown>): TestSkills {
    const tried = new Set<string>()
    const done = new Set<string>()
    return {
      read: (input, attempt) => {
        this.happen('read', attempt.idempotencyKey)
        return input
      },
      flaky: (input, attempt) => {
        if (tried.has(attempt.idempotencyKey)) return input
        tried.add(attempt.idempotencyKey)
        throw new RetryableError('http_429', 'slow down')
      },
      bad: () => {
        throw new SkillError('bad', 'bad')
      },
      poll: (_input, attempt) => ({ done: attempt.idempotencyKey.endsWith('#3') }),
      ask: {
        interrupted: 'ask',
        run: async (input, attempt) => {
          this.happen('ask', attempt.idempotencyKey)
          await answer((input as { checkpoint_id: string }).checkpoint_id)
          return 'asked'
        },
        settle: (_asked, attempt) => this.happen('settle', attempt.idempotencyKey),
      },
      isolate: {
        interrupted: 'verify',
        run: (_input, attempt) => {
          this.happen('isolate', attempt.idempotencyKey)
          done.add(attempt.idempotencyKey)
          return 'isolated'
        },
        verify: (_input, attempt) => (done.has(attempt.idempotencyKey) ? 'isolated' : undefined),
      },
    }
  }
}

/** Steps of every kind. */
export const everyKind = makePlaybook({
  steps: [
    { id: 'user', set: { name: '${{ alert.user }}' } },
    { id: 'never', if: 'steps.user.output.name == "eve"', uses: 'bad' },
    {
      id: 'intel',
      uses: 'flaky',
      with: { name: '${{ steps.user.output.name }}' },
      retry: { max: 2, backoffMs: 2 },
    },
    {
      id: 'gather',
      parallel: [
        { id: 'one', uses: 'read', with: { n: 1 } },
        {
          id: 'two',
          uses: 'bad',
          onError: [{ id: 'instead', uses: 'read', with: { why: '${{ error.code }}' } }],
          default: 2,
        },
        {
          id: 'three',
          steps: [
            { id: 'deep', wait: 3 },
            { id: 'deeper', uses: 'read', with: { n: 3 } },
          ],
        },
      ],
    },
    {
      id: 'each',
      foreach: ['a', 'b', 'c'],
      concurrency: 2,
      steps: [
        { id: 'look', uses: 'read', with: { item: '${{ item }}' } },
        { id: 'odd', if: 'item != "b"', uses: 'isolate', with: { item: '${{ steps.look.output.item }}' } },
      ],
      output: { item: '${{ item }}', odd: '${{ steps.odd.ok }}' },
    },
    { id: 'ready', uses: 'poll', repeat: { until: 'output.done', everyMs: 2, max: 5 } },
    {
      id: 'confirm',
      checkpoint: { via: 'ask', answers: ['yes', 'no'], withinMs: 60_000 },
    },
    { id: 'silent', checkpoint: { answers: ['yes'], withinMs: 2, onTimeout: 'nobody' } },
    { id: 'sub', call: 'called', with: { who: '${{ steps.user.output.name }}' } },
    {
      id: 'outcome',
      switch: [{ when: 'steps.two.output == 2', steps: [{ id: 'isolated', uses: 'isolate' }] }],
      else: [{ fail: 'never here' }],
      output: '${{ steps.isolated.output }}',
    },
  ],
  finally: [{ id: 'tell', uses: 'read', with: { status: '${{ run.status }}' } }],
  outputs: {
    answers: ['${{ steps.confirm.output.answer }}', '${{ steps.silent.output.answer }}'],
    sub: '${{ steps.sub.output }}',
    isolated: '${{ steps.outcome.output }}',
    odd: '${{ steps.each.output.filter(i, i.odd).map(i, i.item) }}',
    each: '${{ steps.each.items.map(i, i.status) }}',
  },
})

const called = makePlaybook({
  name: 'called',
  inputs: new Map([
    [
      'who',
      { schema: { type: 'string' }, type: dyn, default: undefined, sensitive: false, description: undefined },
    ],
  ]),
  steps: [{ id: 'note', uses: 'read', with: { who: '${{ inputs.who }}' } }],
  finally: [{ id: 'after', uses: 'read' }],
  outputs: '${{ steps.note.output.who }}',
})
export const playbooks = { newest: () => 'hash', load: async () => called }

import type { Promised } from '../promised.ts'

/** Alerts, steps, questions and waits. */
export const runPromises: readonly Promised[] = [
  {
    title: 'An acknowledged alert is kept and investigated',
    exactly: `
An alert answered with 2xx survives kill -9 at any instant and a power failure, and its id is never reused. It is investigated, and its run ends
exactly once. If no answer arrived, the outcome is unknown: send the alert again, with an \`Idempotency-Key\` to avoid storing it twice.

For power failures, Tocsin relies on the operating system: data reported as synced must be on the disk.

On PostgreSQL, 2xx means that PostgreSQL has committed the alert. It survives the loss of the primary only if the standby that you promote was synchronous.
`,
    proofs: [
      {
        file: 'end-to-end/kill.test.ts',
        title:
          'a server killed with kill -9 under load keeps every alert it answered with 201, and ends each investigation once with one case',
        planted: [
          'alerts with status Created are not resumed at the start',
          'unfinished runs are not resumed at the start',
        ],
      },
      {
        file: 'sqlite/crash.test.ts',
        title:
          'stores after a crash have every alert acknowledged before kill -9, and no missing or duplicate sequence number',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are all present if acknowledged, whatever else reached the disk',
        planted: ['commits do not wait for the disk'],
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are present even if the power fails between any two calls',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are lost if commits do not wait for the disk (planted bug)',
      },
    ],
  },
  {
    title: 'A recorded step never runs again',
    exactly: `
The result of a step is recorded once and then only read. If the process died between the intent of a step and its result, the declaration of its
skill decides: \`read\` and \`safe\` repeat with the same inputs and the same idempotency key, \`verify\` first asks the other system, \`never\` becomes
\`unknown\` and waits for a person. The playbook's \`on_interrupted\` overrides this.

The same applies if the last attempt ended with an unknown effect (a timeout, a cut connection, an answer 500 or an unreadable one): \`never\` becomes
\`unknown\`, and \`verify\` asks the other system once more. A \`never\` is retried only after an error that proves that nothing happened. The exception is
a run that seems to crash the process: its step fails (promise 9). Exactly-once delivery is impossible if the other system does not help.

A change of the state of a playbook and its record are one commit: a counter never counts twice, and one of several runs sees a key as new.

The order in which branches and calls end does not change the journal.
`,
    proofs: [
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 end once, repeat no ended step, and follow their effect classes after kills at',
        planted: ['the intent of a step is not recorded'],
      },
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 resume after a kill right after an effect, for each step in turn',
      },
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 are detected to repeat effects without intents (planted bug)',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after a crash just before each of its writes',
        planted: ['the intent of a step is not recorded', 'a step does not wait until its intent is stored'],
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after a crash just after each of its writes',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after two crashes',
      },
      {
        file: 'engine/interruptions.test.ts',
        title: 'local durable context: interruptions',
        planted: ['an interrupted step is repeated regardless of its class'],
      },
      {
        file: 'engine/interpreter-determinism.test.ts',
        title: 'interpreter determinism writes the same journal regardless of the order in which steps end',
        planted: ['the result depends on the order in which work ends'],
      },
      {
        file: 'state/kill.test.ts',
        title: 'state of runs whose process is killed with kill -9',
      },
      {
        file: 'state/state-steps.test.ts',
        title: 'steps with state change it exactly once after a crash just',
      },
      {
        file: 'state/state-steps.test.ts',
        title: 'steps with state let exactly one of concurrent runs see a key as new',
      },
    ],
  },
  {
    title: 'A question is answered once',
    exactly: `
The first answer of the person who was asked counts. A second answer has no effect, and an answer after the timeout is recorded as late. If an answer and a
timeout coincide, one wins, and everyone sees the same one.

An answer over a connection counts only if its other system is proven to have sent it, the question went out over this connection, and this person
was asked. Sending it again has no effect, even after a restart. The person who was asked is told the outcome of the question at least once.
`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes the first answer',
        planted: ['a second answer replaces the first'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore lets the first of answer and timeout win',
        planted: ['a timeout replaces an answer'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes no answer after the timeout',
      },
      { file: 'engine/checkpoints.test.ts', title: 'a checkpoint' },
      {
        file: 'end-to-end/inbound.test.ts',
        title: 'an inbound answer over a connection',
        planted: [
          'the answer of another person counts',
          'a question of another connection can be answered',
          'a repeated webhook call is processed again',
        ],
      },
      {
        file: 'engine/follow-ups.test.ts',
        title: 'a question',
        planted: ['a question that closed before a restart is not settled'],
      },
    ],
  },
  {
    title: 'Timers and waits survive',
    exactly: `
Waits, timeouts of questions, retry delays and schedules are stored as clock times. A restart does not change them, and an overdue one fires once.

A clock set forward is noticed within five minutes; schedules in the skipped time fire once. A clock set back lengthens waits by that time; no wait is lost
or doubled, and queued and answered runs are not delayed. A schedule computed while the clock was more than three hours ahead is recomputed at the
next start.
`,
    proofs: [
      {
        file: 'faults/clock-steps.test.ts',
        title: 'a clock change while runs wait',
        planted: [
          'a change of the system clock is not noticed',
          'a schedule keeps a time computed with a wrong clock',
          'a queued run is due at the time at which it was queued',
          'a woken run is due at the time at which it was woken',
          'ended waits are lost if the clock is set back',
          'a run that is taken too early is lost',
        ],
      },
      {
        file: 'engine/run-control.test.ts',
        title: 'run control schedules fire once for all due times while no process ran',
      },
      {
        file: 'engine/run-control.test.ts',
        title: 'run control resumes a run whose checkpoint was answered or timed out while no process ran',
      },
      {
        file: 'engine/alarms.test.ts',
        title: 'alarms',
        planted: ['an alarm earlier than all others is ignored'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores ScheduleStore fires once per due time',
        planted: ['a schedule fires once for each process'],
      },
    ],
  },
]

/** What Tocsin promises about alerts, runs and steps, and the tests that hold it to that. docs/promises.md is made from this. */
export interface Promised {
  readonly title: string
  /** What exactly, and what not. Markdown. */
  readonly exactly: string
  readonly proofs: readonly Proof[]
}

export interface Proof {
  /** Below `test/`. */
  readonly file: string
  /** Full titles begin so, without the seed. */
  readonly title: string
  /** Mistakes in the product that turn it red; see `planted-bugs.ts`. */
  readonly planted?: readonly string[]
}

export const promises: readonly Promised[] = [
  {
    title: 'An acknowledged alert is kept and investigated',
    exactly: `An alert that was answered with 2xx survives kill -9 at any instant and the loss of power; its id is never given to another one. It is
investigated, and the run that does so ends exactly once. An answer that never arrived means nothing: send the alert again, with an
\`Idempotency-Key\` where it must not be there twice.

Of power cuts: what the operating system reports as synced is taken to be on the disk. A disk that lies about that is beyond any program.`,
    proofs: [
      {
        file: 'end-to-end/kill.test.ts',
        title: 'a server that is killed with kill -9 under load keeps every alert',
        planted: [
          'alerts left Created are not taken up at the start',
          'runs left unfinished are not taken up',
        ],
      },
      {
        file: 'sqlite/crash.test.ts',
        title: 'stores after a crash hold every alert acknowledged before kill -9',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are all there that were acknowledged',
        planted: ['commits do not wait for the disk'],
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are there too when the power goes between any two',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are missed when commits do not wait',
      },
    ],
  },
  {
    title: 'A recorded step never runs again',
    exactly: `What a step came to is written down once and read ever after. A step whose process died between its intent and its result follows what its
skill declares: \`read\` and \`safe\` are repeated with the same inputs and the same idempotency key, \`verify\` asks the other system first, \`never\` becomes
\`unknown\` and waits for a person, unless the playbook's \`on_interrupted\` decides. So is a step whose last try ended with an error that leaves open whether it took effect (a timeout, a cut
connection, an answer 500 or one that cannot be read): \`never\` becomes \`unknown\`, of \`verify\` the other system is asked once more. Only an error which proves that nothing happened lets a \`never\` be tried again. The exception is a run that seems to bring the process down: its step fails (promise 9). Exactly-once does not exist against a system that does not help with it.

The order in which branches and calls end makes no difference to what is recorded.`,
    proofs: [
      {
        file: 'crash/kill.test.ts',
        title: 'runs of a process that is killed with kill -9 end once, repeat nothing that ended',
        planted: ['the intent of a step is not recorded'],
      },
      {
        file: 'crash/kill.test.ts',
        title: 'runs of a process that is killed with kill -9 go on where they were',
      },
      {
        file: 'crash/kill.test.ts',
        title: 'runs of a process that is killed with kill -9 are caught repeating',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes comes to the same end after a crash just before',
        planted: ['the intent of a step is not recorded', 'the intent of a step is not waited for'],
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes comes to the same end after a crash just after',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes comes to the same end after two crashes',
      },
      {
        file: 'engine/interruptions.test.ts',
        title: 'local durable context: interruptions',
        planted: ['a step that was interrupted is repeated, whatever its class'],
      },
      {
        file: 'engine/interpreter-determinism.test.ts',
        title: 'interpreter determinism comes to the same journal whatever the order in which work ends',
        planted: ['the order in which work ends decides'],
      },
    ],
  },
  {
    title: 'A question is answered once',
    exactly: `The first answer of a person who was asked counts. A second one has no effect; one after the timeout is recorded as late. Of an answer and a
timeout that come at the same time, one wins, and everybody sees the same one.

What comes in over a connection counts only when its other system is proven to have sent it, the question went out over this very connection, and this very
person was asked; sent again, it has no effect, also after a restart. Whoever was asked is shown what became of the question at least once, beside the run.`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes the first answer',
        planted: ['a second answer takes the place of the first'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore lets one of an answer and a timeout win',
        planted: ['a timeout takes the place of an answer'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes no answer from the time on',
      },
      { file: 'engine/checkpoints.test.ts', title: 'a checkpoint' },
      {
        file: 'end-to-end/inbound.test.ts',
        title: 'an answer that comes in over a connection',
        planted: [
          'the answer of somebody who was not asked counts',
          'a question of another connection can be answered',
          'a repeat of what was sent is taken again',
        ],
      },
      {
        file: 'engine/follow-ups.test.ts',
        title: 'a question',
        planted: ['a question that was over before a restart is not settled'],
      },
    ],
  },
  {
    title: 'Timers and waits survive',
    exactly: `Waits, timeouts of questions, times before another try and schedules are kept as times of the clock. A restart changes none of them; one that
is overdue rings once. A clock that is set forward is noticed within five minutes, and what was jumped over rings once. A clock that is set back lengthens a
wait by as much; it loses and doubles none, and holds up no run that is queued or was answered. A schedule that was reckoned while the clock was more than three hours ahead is reckoned anew at the next start.`,
    proofs: [
      {
        file: 'faults/clock-steps.test.ts',
        title: 'a clock that is set while runs wait',
        planted: [
          'a clock that is set is not looked at',
          'a schedule trusts the clock that was wrong',
          'a queued run has the time at which it was queued',
          'a run that was woken has the time at which it was',
          'waits that had ended are lost where the clock is set back',
          'a run that is taken too early is forgotten',
        ],
      },
      { file: 'engine/run-control.test.ts', title: 'run control schedules fire once for all the time' },
      {
        file: 'engine/run-control.test.ts',
        title: 'run control takes up a run whose checkpoint was answered, or timed out, while no process ran',
      },
      {
        file: 'engine/alarms.test.ts',
        title: 'alarms',
        planted: ['what rings earlier than all others is not looked at'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores ScheduleStore fires once for each time',
        planted: ['a schedule fires for whoever comes'],
      },
    ],
  },
  {
    title: 'A sick peer harms only the step that calls it',
    exactly: `Statuses 408, 429 and 5xx, resets, garbage and broken answers are tried again, a bounded number of times, with \`Retry-After\` honoured up to
the step's longest wait; a write that must not be repeated waits for a person instead (promise 2). Silence and dripping bodies end with the step's timeout. A body of more than 10 MB, as it comes or unpacked, is refused.
Every try ends by its deadline, and memory stays bounded.`,
    proofs: [
      {
        file: 'faults/dead-peers.test.ts',
        title: 'runs whose other system is sick end',
        planted: ['a body may be as large as it likes'],
      },
      { file: 'faults/dead-peers.test.ts', title: 'runs whose other system is sick leave the server fit' },
      { file: 'egress/exchange.test.ts', title: 'egress: an exchange' },
      { file: 'engine/retries.test.ts', title: 'local durable context: tries' },
    ],
  },
  {
    title: 'A storm is survived',
    exactly: `When more comes in than can be taken up, alerts with a type are refused with 503 and \`Retry-After\`; every alert that was answered with 2xx
is kept. Organizations take turns: one that sends much does not hold up another.`,
    proofs: [
      {
        file: 'faults/storm.test.ts',
        title: 'a storm of alerts',
        planted: ['an organization’s line has no end'],
      },
      {
        file: 'http/create-alert.test.ts',
        title: 'POST alerts refuses an alert with a type while no investigation',
      },
      { file: 'sqlite/group-commit.test.ts', title: 'GroupCommit refuses more than its queue holds' },
      {
        file: 'engine/runner.test.ts',
        title: 'runner lets organizations take turns',
        planted: ['organizations do not take turns'],
      },
      { file: 'engine/runner.test.ts', title: 'runner works on no more runs at once than it may' },
    ],
  },
  {
    title: 'A failing disk is never answered with 2xx',
    exactly: `When the disk is full, read-only or fails to write or to sync, nothing is acknowledged that is not kept: the answer is 503 with
\`store_unavailable\`. Reads go on, \`/readyz\` says no, and everything goes on by itself when the disk does: runs wait with their results in hand.
That is so of a process that runs. A start has to write: on a full disk it ends with an error, and a supervisor has to try it again. A damaged page
is named as such; what needs other pages goes on.
Where the data directory is gone, or another file is in the place of the database, nothing is acknowledged and no step begins; the process ends after
some seconds, and what was acknowledged is in the database, wherever that is.`,
    proofs: [
      {
        file: 'faults/disk.test.ts',
        title: 'tocsin serve on a disk that fails for a while acknowledges nothing it cannot keep',
        planted: ['writes are acknowledged before the commit', 'a store that is held up fails the step'],
      },
      {
        file: 'faults/data-directory.test.ts',
        title: 'tocsin serve that loses its data directory',
        planted: ['nobody looks whether the database is where it was opened'],
      },
      {
        file: 'sqlite/whereabouts.test.ts',
        title: 'SQLite stores whose files are taken from them',
        planted: ['nobody looks whether the database is where it was opened'],
      },
      {
        file: 'sqlite/crash.test.ts',
        title: 'stores after a crash hold what was acknowledged, and nothing of what was refused',
      },
      { file: 'sqlite/group-commit.test.ts', title: 'GroupCommit rejects the whole group when' },
      { file: 'sqlite/group-commit.test.ts', title: 'GroupCommit refuses while the file is read-only' },
      {
        file: 'sqlite/open.test.ts',
        title: 'opening SQLite stores tells by a probe',
        planted: ['a probe writes nothing'],
      },
      {
        file: 'sqlite/open.test.ts',
        title: 'opening SQLite stores says that the file is damaged when a page is',
        planted: ['a damaged page is nothing special'],
      },
    ],
  },
  {
    title: 'Signals are minded',
    exactly: `SIGTERM takes nothing more in, lets runs under way come to an end or a wait for up to 20 seconds, and exits with 0. A process that was stopped and
goes on repeats nothing. A second process on the same data is refused.`,
    proofs: [
      { file: 'end-to-end/serve.test.ts', title: 'tocsin serve ends with 0 soon after SIGTERM' },
      {
        file: 'end-to-end/serve.test.ts',
        title: 'tocsin serve, told to stop while it works,',
        planted: ['what is under way is cut off at once when the process is told to stop'],
      },
      {
        file: 'engine/runner.test.ts',
        title: 'runner drain',
        planted: ['what is under way is cut off at once when the process is told to stop'],
      },
      {
        file: 'faults/signals.test.ts',
        title: 'tocsin serve, stopped with SIGSTOP and continued,',
        planted: ['what must not be repeated is tried again'],
      },
      {
        file: 'faults/signals.test.ts',
        title: 'a second tocsin serve',
        planted: ['the data directory is not claimed'],
      },
      { file: 'sqlite/lock.test.ts', title: 'the claim on a data directory keeps a second process out' },
    ],
  },
  {
    title: 'Poison is fatal to itself alone',
    exactly: `After two crashes in a row, the runs that were under way in them are taken up one by one (some at a time where they are many), each watched for two
seconds (twice as long after each further crash) or until it ends or rests. Nothing else begins meanwhile: for 30 seconds at most, and never for more than five minutes; \`GET /engine\` says so. A
stop that was meant clears all suspicion. The one during which the process stops twice more, alone, is given up: the step it was in
fails, or the run, and \`on_error\` and \`finally\` have their turn. The others go on, however often they were interrupted. Who kills the process from outside, again and again
and without SIGTERM, can make a healthy run look like that one. An alert that brings the process down
before it has a run is given up when three starts in a row found it in hand. An upgrade keeps waiting runs: each goes on where it was, with the playbook that it began with.`,
    proofs: [
      {
        file: 'faults/poison.test.ts',
        title: 'a run that brings the process down',
        planted: ['nobody is suspected of bringing the process down'],
      },
      {
        file: 'faults/poison.test.ts',
        title: 'an alert that brings the process down before it has a run',
        planted: ['an alert is taken up again and again'],
      },
      {
        file: 'engine/runner.test.ts',
        title: 'runner after crashes of the process',
        planted: [
          'whoever was under way is suspected',
          'a stop that was meant counts as a crash',
          'who was alone at one crash is given up',
        ],
      },
      {
        file: 'engine/plan-watch.test.ts',
        title: 'the watch after crashes',
        planted: [
          'many suspects hold up everything for long',
          'who was watched at a crash is as likely as others',
        ],
      },
      {
        file: 'faults/upgrade.test.ts',
        title: 'an upgrade from the first release',
        planted: ['places in a run have other names than in the release before'],
      },
    ],
  },
  {
    title: 'A retry goes on from the failed step',
    exactly: `The new run finds what was done in its own journal, a copy. A large one is copied in pieces, so that others are served in between; until all of it is there, also after a
crash, the run does not begin and shows no steps, so that its journal is there whole or not at all. Nothing that is carried over runs again. What the preview names under \`repeats\` may, with a new idempotency key, and nothing else that took effect; of it, what a skill of class
\`verify\` did with the same input is asked about first, under the key that it was done with, and not done again where the other system says that it was done. A run is
gone on from once.`,
    proofs: [
      {
        file: 'faults/retries.test.ts',
        title: 'retries on a server',
        planted: ['a retry does not know what was done'],
      },
      {
        file: 'sqlite/journal-copies.test.ts',
        title: 'the journal that a retry copies',
        planted: ['a retry begins with a part of what was done'],
      },
      {
        file: 'rerun/every-failure.test.ts',
        title: 'a retry comes',
        planted: ['a retry carries over what failed'],
      },
      {
        file: 'rerun/cut-off.test.ts',
        title: 'a retry of a run of which something was cut off',
        planted: ['a retry carries over what was cut off'],
      },
      {
        file: 'rerun/asked-first.test.ts',
        title: 'a retry of a step that may have taken effect, with a skill that can tell',
        planted: ['a retry does not ask what became of the run before'],
      },
      {
        file: 'rerun/edited-playbook.test.ts',
        title: 'a retry with an edited playbook',
        planted: ['an edited step is taken for the same'],
      },
    ],
  },
  {
    title: 'A repeat ends as the investigation that it was grouped with',
    exactly: `An alert that is taken for the repeat of another is kept like any other, belongs to its case, and is Completed exactly when the investigation of that one
has completed, also over kill -9. Where that one failed, the next repeat is investigated. What is missing, what belongs to a closed case and what came after the time are no repeats.
What is a repeat is decided in the write that would queue its run: alerts that come at the same time have one run.`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores RunStore, of alerts that may be repeats',
        planted: [
          'repeats do not end with the run',
          'repeats are taken for investigated where the first one failed',
        ],
      },
      {
        file: 'sqlite/alert-groups.test.ts',
        title: 'repeats of an alert in SQLite',
        planted: ['repeats that a killed process left behind never end'],
      },
      { file: 'faults/grouping.test.ts', title: 'repeats of an alert on a server that is killed' },
      { file: 'investigation/group-of.test.ts', title: 'groupOf' },
    ],
  },
  {
    title: 'More than a few uses of a destructive skill need a person',
    exactly: `Of one class of destructive skills, in one organization, no more uses begin within an hour than its limit (\`TOCSIN_DESTRUCTIVE_PER_HOUR\`, or the organization's own) without the approval of a person. A use is counted
with its intent, in one write, once for each step, and stays counted over restarts, unless it is known that it changed nothing. One that is one too many waits, over restarts too, until it is approved or refused; only \`approve\`
approves. The hour is the time that has really passed: setting the clock while the process runs makes no room. A clock that was set forward while no process ran does.`,
    proofs: [
      {
        file: 'engine/approvals.test.ts',
        title: 'a destructive skill that is used too often',
        planted: [
          'one more use of a destructive skill begins than may',
          'the hour of destructive skills follows the time of day',
          'a step that waits for an approval begins after a restart where there is room',
          'whatever is answered approves a use',
        ],
      },
      {
        file: 'sqlite/destructive-uses.test.ts',
        title: 'uses of destructive skills in SQLite',
        planted: ['the hour of destructive skills forgets earlier uses at a start'],
      },
      { file: 'end-to-end/breaker.test.ts', title: 'too many uses of a destructive skill' },
    ],
  },
  {
    title: 'A connection has one budget',
    exactly: `All runs of the process share what a system allows a connection, as its plugin knows it: within any span of time no more requests are sent than
that. A 429 with \`Retry-After\` holds back all of them for as long, up to five minutes. Those who wait take turns in the order of asking; a step that waits
for its turn has not failed. Limits are kept in memory: a new process begins with an unused budget.`,
    proofs: [
      {
        file: 'skill/rates-of-runs.test.ts',
        title: 'runs that share a connection keep its rate together',
        planted: ['what was sent is not remembered', 'a step that waits for its turn has failed'],
      },
      { file: 'skill/rate-bucket.test.ts', title: 'a rate bucket' },
      {
        file: 'skill/rates.test.ts',
        title: 'the rate of a connection',
        planted: ['Retry-After closes nothing'],
      },
      { file: 'engine/retries.test.ts', title: 'local durable context: tries retries honours Retry-After' },
    ],
  },
]

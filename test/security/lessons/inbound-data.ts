import { http, type Chapter } from './lesson.ts'

export const inboundData: Chapter = {
  title: 'Inbound data',
  lessons: [
    {
      promise:
        'A webhook request is accepted once, within its rate and 256 KB, with the token of a connection, and with the vendor’s signature over the raw bytes, at most 300 seconds old.',
      proofs: [
        http(
          'webhooks',
          'are read up to 256 KB',
          'refuse an unknown token, a missing one, and one that stands twice',
          'are taken at a rate that strangers cannot use up',
        ),
        [
          'test/end-to-end/inbound.test.ts',
          'is refused like every other: ',
          'that is sent again has no effect',
          'is not there, with the token and signature of another connection',
          'decides nothing as a GET',
        ],
      ],
    },
    {
      promise:
        'Over a connection, only the first answer in time of the person who was asked counts, and it must be one of the possible answers. If an API key answers instead, the record says so, whatever the name of the key.',
      proofs: [
        [
          'test/end-to-end/inbound.test.ts',
          'counts of the asked person only',
          'counts once: a second click',
          'comes too late after the timeout',
          'is one of the answers',
        ],
        [
          'test/end-to-end/messaging-checkpoint.test.ts',
          'takes no API key for the person who was asked, whatever its name is',
        ],
      ],
    },
    {
      promise:
        'The content of an alert is stored byte for byte and is only data everywhere: in generated playbooks, in messages, and on the web page.',
      proofs: [
        ['test/end-to-end/hostile-alerts.test.ts', 'that hold ', 'with lone surrogates are refused or kept'],
        ['test/end-to-end/messaging-checkpoint.test.ts', 'shows what an alert wrote as mere text'],
      ],
    },
    {
      promise:
        'Any request to any route is answered as documented or with a problem document, and the server keeps running.',
      proofs: [
        http('fuzz', 'is done, or refused with a problem document', 'with an odd value in any one parameter'),
        http('grown-bodies', 'of '),
        http('bad-requests', 'shows nothing of an error that nobody foresaw'),
      ],
    },
    {
      promise:
        'Slow senders and readers are disconnected, bodies are read within a memory budget, and connections are limited.',
      proofs: [
        http(
          'server',
          'gives up on headers that do not end',
          'gives up on a body that does not end',
          'takes no more connections than it can hold',
          'reads no more bodies than it has memory for',
        ),
        http('slow-readers', 'that take nothing are left'),
      ],
    },
    {
      promise:
        'Dry runs are limited in steps, size and time, with one at a time per organization, and do not block other requests. Neither does a real run that only computes.',
      proofs: [
        http('dry-run-limits', 'keeps nobody from being answered', 'keeps no more than a bounded size'),
        http('dry-run-limits', 'let others have their turn', 'are run one at once for an organization'),
        http('dry-run', 'makes one at once for an organization', 'ends what takes too long'),
        ['test/engine/run-writes.test.ts', 'are waited for by a run that only calculates'],
      ],
    },
    {
      promise:
        'One customer’s streams and large runs do not block others: keys that see the same organizations have at most half of all streams, and runs are read for organizations in turn.',
      proofs: [
        http('run-events', 'are refused beyond so many of one key, of keys that see the same organizations'),
        http('in-turn', 'is done one at a time, of each line in its order, and the lines take turns'),
      ],
    },
    {
      promise:
        'Checking, drawing, completing and explaining a playbook takes a moment, whatever its content. It happens one at a time, with organizations in turn, and yields as much time as it uses.',
      proofs: [
        http(
          'large-playbooks',
          'are read, drawn, completed and explained in a moment',
          'is done one after the other, and leaves others as much time',
          'is refused where too much of one key waits',
          'waits for one piece of work of other organizations',
          'is refused to keys that see the same organizations',
        ),
      ],
    },
    {
      promise:
        'The web page runs only its own scripts: its content security policy allows no other source, and style elements only with a nonce.',
      proofs: [
        http('page', 'allows only itself, and style elements with a nonce that is another one each time'),
        ['test/web/page.test.ts', 'never turns text into markup or code'],
      ],
    },
  ],
}

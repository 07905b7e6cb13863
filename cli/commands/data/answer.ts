import { Command, InvalidArgumentError } from 'commander'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface AnswerOptions {
  readonly refuse?: readonly number[]
  readonly text?: string
  readonly url?: string
}

export function answerCommand(): Command {
  return new Command('answer')
    .description('answer a question that `tocsin checkpoints` lists')
    .argument('<checkpoint>', 'its id', (id: string) => id.trim())
    .argument('<answer>', 'one of its answers')
    .option('--refuse <numbers>', 'with `approve`: actions to refuse, such as 2,5-7', readNumbers)
    .option('--text <remark>', 'a remark, recorded with the answer')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
The first answer counts. An approval may need several people.

Set TOCSIN_KEY to an API key with the role analyst.

Example:
  TOCSIN_KEY=toc_… tocsin answer bq3… approve --refuse 2,5-7`,
    )
    .action(answer)
}

/** Most actions of one approval. */
const mostItems = 10_000

/** `2,5-7` → 2, 5, 6, 7. */
function readNumbers(text: string): readonly number[] {
  const numbers = text.split(',').flatMap((part) => {
    const [, from = '', to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === '' || first < 1 || last < first || last > mostItems)
      throw new InvalidArgumentError(`'${part.trim()}' is not a number from 1 or a range such as 5-7.`)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  return [...new Set(numbers)]
}

async function answer(
  checkpoint: string,
  value: string,
  { refuse, text, url }: AnswerOptions,
): Promise<void> {
  const { outcome, checkpoint: after } = await serverClient(url).post<Answered>(
    `/checkpoints/${encodeURIComponent(checkpoint)}/answer`,
    {
      answer: value,
      ...(text !== undefined && { text }),
      ...(refuse !== undefined && { refused_items: refuse.map((number) => number - 1) }),
    },
  )
  const missing = after.approval?.missing ?? 0
  const more = missing === 0 ? '' : `; ${missing} more ${missing === 1 ? 'approval' : 'approvals'} missing`
  const isGood = outcome === 'accepted' || outcome === 'counted'
  console.log(`${isGood ? paint.good('ok') : paint.warn(outcome)} ${printable(checkpoint)}: ${texts[outcome]}${more}`)
}

interface Answered {
  readonly outcome: keyof typeof texts
  readonly checkpoint: { readonly approval: { readonly missing: number } | null }
}

const texts = {
  accepted: 'the answer counts, and the run continues',
  counted: 'the approval counts',
  second: 'another answer came first',
  late: 'the question is closed',
  decided: 'the answers of other people decided before',
  same_person: 'you have answered already; each person counts once',
} as const

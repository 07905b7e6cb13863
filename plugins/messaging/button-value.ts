/** What a button brings back when it is pressed. */
export interface ButtonValue {
  readonly checkpointId: string
  readonly answer: string
}

const actionPrefix = 'tocsin_answer_'

/** Names the button of the answer with this number; ours are told from those of others by it. */
export const actionId = (index: number): string => `${actionPrefix}${index}`

export const isOurAction = (id: string): boolean => id.startsWith(actionPrefix)

/** Names the row of buttons of a question, so that the message can be found again. */
export const blockId = (checkpointId: string): string => `tocsin_${checkpointId}`

/** At most 2,000 characters are allowed; ids of checkpoints have no colon. */
export const toButtonValue = ({ checkpointId, answer }: ButtonValue): string => `${checkpointId}:${answer}`

export function parseButtonValue(value: string): ButtonValue | undefined {
  const [, checkpointId, answer] = /^([\w-]{1,255}):(.+)$/s.exec(value) ?? []
  return checkpointId === undefined || answer === undefined ? undefined : { checkpointId, answer }
}

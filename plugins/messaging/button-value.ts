/** The value of a pressed button. */
export interface ButtonValue {
  readonly checkpointId: string
  readonly answer: string
}

const actionPrefix = 'tocsin_answer_'

/** Action id prefix of an answer button, followed by its number; distinguishes our buttons from others. */
export const buttonActionId = (index: number): string => `${actionPrefix}${index}`

export const isOurAction = (id: string): boolean => id.startsWith(actionPrefix)

/** Block id of a question's row of buttons, used to find the message again. */
export const blockId = (checkpointId: string): string => `tocsin_${checkpointId}`

/** At most 2,000 characters; checkpoint ids contain no colon. */
export const toButtonValue = ({ checkpointId, answer }: ButtonValue): string => `${checkpointId}:${answer}`

export function parseButtonValue(value: string): ButtonValue | undefined {
  const [, checkpointId, answer] = /^([\w-]{1,255}):(.+)$/s.exec(value) ?? []
  return checkpointId === undefined || answer === undefined ? undefined : { checkpointId, answer }
}

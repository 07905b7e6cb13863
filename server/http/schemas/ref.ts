/** A reference to another schema for readers of the document; for the compiler, that schema itself. */
export const ref = <const S>(path: string, _schema: S): S => ({ $ref: path }) as S

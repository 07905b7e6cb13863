import type { InterfaceInput, InterfaceName, InterfaceOutput } from './interfaces.ts'

/** How a skill implements an interface. Both functions are pure and fast. */
export interface Implementation<N extends InterfaceName, In, Out> {
  /** The values of inputs that the skill accepts, e.g. `{ kind: ['ip', 'domain'] }`. Default: all. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** The input of the skill. */
  input(given: InterfaceInput<N>): In
  /** The output of the interface. It never sees values that the skill marks `x-sensitive`. */
  output(made: Out, given: InterfaceInput<N>): InterfaceOutput<N>
}

/** How a skill that asks implements `ask`. The engine adds the checkpoint id and the answers. */
export interface AskImplementation<In> {
  input(given: InterfaceInput<'ask'>): Omit<In, 'checkpoint_id' | 'answers' | 'form'>
}

/** By interface. `enrich` is not among them: a skill implements it by `enriches`. */
export type Implementations<In, Out> = {
  readonly [N in Exclude<InterfaceName, 'enrich' | 'ask'>]?: Implementation<N, In, Out>
} & { readonly ask?: AskImplementation<In> }

import { z } from 'zod';

/**
 * Types and documents a body without checking it. A parser of the domain checks it, because its errors explain more than
 * those of a shape.
 */
export function documented<Shape extends z.ZodType>(shape: Shape): z.ZodType<z.input<Shape>, z.input<Shape>> {
  const { $schema: _dialect, ...form } = z.toJSONSchema(shape, { io: 'input' });
  return z.unknown().meta(form) as z.ZodType<z.input<Shape>, z.input<Shape>>;
}

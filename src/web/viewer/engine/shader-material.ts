import { type IUniform, ShaderMaterial, type ShaderMaterialParameters } from 'three';

/** A shader material with typed names of its uniforms. */
export type ShaderWith<Name extends string> = ShaderMaterial & { uniforms: Record<Name, IUniform> };

export const createShader = <Name extends string>(
  parameters: ShaderMaterialParameters & { uniforms: Record<Name, IUniform> },
): ShaderWith<Name> => Object.assign(new ShaderMaterial(parameters), { uniforms: parameters.uniforms });

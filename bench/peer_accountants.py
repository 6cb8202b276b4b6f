"""What dp_accounting, prv_accountant, opendp and autodp say of a job, each as its users would ask it. A job is a list of Steps and a delta.

Every function returns bounds (lower, upper) of epsilon, or None where the peer has no such mechanism. A lower end of 0 stands for
"upper bound only".
"""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Steps:
    """`count` times one mechanism, in the words of `sotto account`; noise is over the sensitivity."""

    name: str
    count: int = 1
    keys: dict = dataclasses.field(default_factory=dict)

    def spec(self):
        keys = {**self.keys, "count": self.count}
        return self.name + ":" + ",".join(f"{key}={value}" for key, value in keys.items())


def dp_accounting_pld(steps, delta):
    """Loss distributions on a grid of 1e-4, its default: rounded up, and once more rounded down."""
    upper = _dp_accounting_pld(steps, delta, pessimistic=True)
    return None if upper is None else (_dp_accounting_pld(steps, delta, pessimistic=False), upper)


def dp_accounting_upper(steps, delta):
    """The upper bound alone: what a user of PLDAccountant gets, for the time it takes."""
    upper = _dp_accounting_pld(steps, delta, pessimistic=True)
    return None if upper is None else (0, upper)


def _dp_accounting_pld(steps, delta, pessimistic):
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    total = None
    for s in steps:
        k = s.keys
        side = {"pessimistic_estimate": pessimistic}
        if s.name == "gaussian":
            one = pld.from_gaussian_mechanism(k["sigma"], **side)
        elif s.name == "laplace":
            one = pld.from_laplace_mechanism(k["scale"], **side)
        elif s.name == "discrete-gaussian" and k.get("dim", 1) == 1:
            grid = k.get("grid", 1)
            one = pld.from_discrete_gaussian_mechanism(k["sigma"] * grid, grid, **side)
        elif s.name == "randomized-response":
            one = pld.from_randomized_response(k["probability"], k["levels"], **side)
        elif s.name == "subsampled-gaussian" and "sampling" not in k:
            one = pld.from_gaussian_mechanism(k["sigma"], sampling_prob=k["rate"], **side)
        elif s.name == "subsampled-laplace" and "sampling" not in k:
            one = pld.from_laplace_mechanism(k["scale"], sampling_prob=k["rate"], **side)
        elif s.name in ("pure", "approximate"):
            if not pessimistic:
                return 0
            one = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(k["epsilon"], k.get("delta", 0)))
        else:
            return None
        one = one.self_compose(s.count) if s.count > 1 else one
        total = one if total is None else total.compose(one)
    return total.get_epsilon_for_delta(delta)


def dp_accounting_rdp(steps, delta):
    """Renyi costs."""
    import dp_accounting
    from dp_accounting import rdp

    exchanged = any("sampling" in s.keys for s in steps)
    relation = dp_accounting.NeighboringRelation
    accountant = rdp.RdpAccountant(
        neighboring_relation=relation.REPLACE_ONE if exchanged else relation.ADD_OR_REMOVE_ONE
    )
    for s in steps:
        k = s.keys
        if s.name == "gaussian":
            event = dp_accounting.GaussianDpEvent(k["sigma"])
        elif s.name == "laplace":
            event = dp_accounting.LaplaceDpEvent(k["scale"])
        elif s.name == "zcdp":
            event = dp_accounting.ZCDpEvent(k["rho"])
        elif s.name == "subsampled-gaussian" and "sampling" in k:
            # Its noise is over the sensitivity, which is twice the clip norm where a row is exchanged.
            event = dp_accounting.SampledWithoutReplacementDpEvent(
                round(1000 / k["rate"]), 1000, dp_accounting.GaussianDpEvent(k["sigma"] / 2)
            )
        elif s.name == "subsampled-gaussian":
            event = dp_accounting.PoissonSampledDpEvent(k["rate"], dp_accounting.GaussianDpEvent(k["sigma"]))
        else:
            return None
        accountant.compose(event, s.count)
    return 0, accountant.get_epsilon(delta)


def prv_accountant(steps, delta, error=1e-2):
    """Proven bounds from the error of epsilon that is asked for (its documentation suggests 0.1), and delta / 1000 of delta."""
    import prv_accountant as prv

    variables = []
    for s in steps:
        k = s.keys
        if s.name == "gaussian":
            variables.append(prv.GaussianMechanism(noise_multiplier=k["sigma"]))
        elif s.name == "laplace":
            variables.append(prv.LaplaceMechanism(mu=1 / k["scale"]))
        elif s.name == "subsampled-gaussian" and "sampling" not in k:
            variables.append(prv.PoissonSubsampledGaussianMechanism(k["rate"], noise_multiplier=k["sigma"]))
        elif s.name == "pure":
            variables.append(prv.PureDPMechanism(k["epsilon"]))
        elif s.name == "approximate":
            variables.append(prv.ApproximateDPMechanism(k["epsilon"], k["delta"]))
        else:
            return None
    counts = [s.count for s in steps]
    accountant = prv.PRVAccountant(
        prvs=variables, max_self_compositions=counts, eps_error=error, delta_error=delta / 1000
    )
    lower, _, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=counts)
    return lower, upper


def opendp(steps, delta):
    """zCDP of every release, added up and converted; or pure epsilons added up."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    scalar = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    whole = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    rho, epsilon = 0, 0
    for s in steps:
        k = s.keys
        if s.name == "gaussian":
            rho += s.count * dp.m.make_gaussian(*scalar, scale=k["sigma"]).map(1.0)
            epsilon = math.inf
        elif s.name == "discrete-gaussian" and k.get("dim", 1) == 1:
            grid = k.get("grid", 1)
            rho += s.count * dp.m.make_gaussian(*whole, scale=k["sigma"] * grid).map(grid)
            epsilon = math.inf
        elif s.name == "laplace":
            pure = dp.m.make_laplace(*scalar, scale=k["scale"])
            epsilon += s.count * pure.map(1.0)
            rho += s.count * dp.c.make_pureDP_to_zCDP(pure).map(1.0)
        elif s.name == "randomized-response":
            levels = k["levels"]
            truth = 1 - k["probability"] * (levels - 1) / levels
            pure = dp.m.make_randomized_response(list(range(levels)), prob=truth)
            epsilon += s.count * pure.map(1)
            rho += s.count * dp.c.make_pureDP_to_zCDP(pure).map(1)
        elif s.name == "zcdp":
            rho += s.count * k["rho"]
            epsilon = math.inf
        else:
            return None
    # A mechanism of that total, to reach the library's conversion.
    total = dp.m.make_gaussian(*scalar, scale=1.0)
    converted = dp.c.make_zCDP_to_approxDP(total).map(math.sqrt(2 * rho)).epsilon(delta)
    return 0, min(converted, epsilon)


def autodp(steps, delta):
    """Renyi costs; the exact curve where all releases are Gaussian."""
    from autodp import mechanism_zoo as zoo
    from autodp import transformer_zoo

    mechanisms = []
    for s in steps:
        k = s.keys
        if s.name == "gaussian":
            mechanisms.append(zoo.ExactGaussianMechanism(k["sigma"]))
        elif s.name == "laplace":
            mechanisms.append(zoo.LaplaceMechanism(k["scale"]))
        elif s.name == "subsampled-gaussian" and "sampling" not in k:
            one = zoo.GaussianMechanism(k["sigma"])
            mechanisms.append(transformer_zoo.AmplificationBySampling(PoissonSampling=True)(one, k["rate"], improved_bound_flag=True))
        elif s.name == "randomized-response" and k["levels"] == 2:
            mechanisms.append(zoo.RandresponseMechanism(1 - k["probability"] / 2))
        elif s.name == "pure":
            mechanisms.append(zoo.PureDP_Mechanism(k["epsilon"]))
        elif s.name == "zcdp":
            mechanisms.append(zoo.zCDP_Mechanism(k["rho"]))
        else:
            return None
    counts = [s.count for s in steps]
    gaussian = all(s.name == "gaussian" for s in steps)
    composition = transformer_zoo.ComposeGaussian() if gaussian else transformer_zoo.Composition()
    return 0, float(composition(mechanisms, counts).get_approxDP(delta))


PEERS = {
    "dp_accounting": dp_accounting_upper,
    "dp_accounting, two-sided": dp_accounting_pld,
    "dp_accounting, RDP": dp_accounting_rdp,
    "prv_accountant": prv_accountant,
    "opendp": opendp,
    "autodp": autodp,
}

"""All cases of the engine."""

from engines.spiking.verification.networks import NETWORKS
from engines.spiking.verification.products import PRODUCTS
from engines.spiking.verification.single import SINGLE

CASES = (PRODUCTS, *NETWORKS, SINGLE)

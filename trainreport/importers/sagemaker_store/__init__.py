"""What SageMaker says of its machines."""
